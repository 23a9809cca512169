"""What staff see of the dashboard, and that nothing is drawn for others."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from streamlit.testing.v1 import AppTest

from crossway.dashboard.views.staff import OPEN_ACCESS
from crossway.domain.clients import staff_principal
from crossway.domain.roles import Role
from crossway.domain.staff import StaffMember
from crossway.usecases.staff import audit, members, sessions
from crossway.usecases.staff.members import NewStaffMember
from tests.dashboard.conftest import (
    COOKIE,
    WORDS,
    DashboardApp,
    configure,
    new_dashboard,
    sign_in,
)
from tests.usecases.ramp_world import RampWorld

MACHINE = staff_principal("command line")


def add(world: RampWorld, name: str = "Ada", role: str = "admin") -> StaffMember:
    return members.add_member(world.services, MACHINE, NewStaffMember(name, role, WORDS))


def shell() -> AppTest:
    return new_dashboard().run()


def title(at: AppTest) -> str:
    return str(at.title[0].value)


def said(at: AppTest) -> str:
    drawn = "\n".join(item.value for kind in (at.error, at.info, at.markdown) for item in kind)
    return drawn.replace("&#58;", ":")


def account_menus(at: AppTest) -> list[str]:
    """The labels of popovers: the account menu names the person and the role."""

    def blocks(node: Any) -> Iterator[Any]:
        for child in getattr(node, "children", {}).values():
            yield child
            yield from blocks(child)

    return [one.proto.popover.label for one in blocks(at.main) if one.type == "popover"]


def must_sign_in(at: AppTest) -> bool:
    """Whether a run draws nothing but the way to the sign-in page."""
    drawn = DashboardApp(at, cast(RampWorld, None))
    return title(at) == "Sign in" and drawn.has_widget("sign_in_link") and not at.metric


def test_without_a_session_there_is_only_the_way_to_the_sign_in_page(world: RampWorld) -> None:
    configure(lambda: world.services, "sesame")
    assert must_sign_in(shell())
    add(world)
    assert must_sign_in(shell())
    at = sign_in(shell(), "Ada")
    assert title(at) == "Overview"
    assert "Ada :gray[Admin]" in account_menus(at)
    sessions.sign_out(world.services, at.session_state[COOKIE])
    assert must_sign_in(at.run())


def test_an_open_page_follows_role_changes_and_disabling(world: RampWorld) -> None:
    add(world)
    bob = add(world, "Bob", "viewer")
    at = sign_in(shell(), "Bob")
    assert "Bob :gray[Viewer]" in account_menus(at)
    members.set_role(world.services, MACHINE, bob.id, "treasurer")
    assert "Bob :gray[Treasurer]" in account_menus(at.run())
    members.disable_member(world.services, MACHINE, bob.id)
    assert must_sign_in(at.run())


def test_inactive_sessions_expire(world: RampWorld) -> None:
    add(world)
    at = sign_in(shell(), "Ada")
    world.machine.seconds += 1700
    assert title(at.run()) == "Overview"
    world.machine.seconds += 1700
    assert title(at.run()) == "Overview"
    world.machine.seconds += 1801
    assert must_sign_in(at.run())
    assert title(sign_in(at, "Ada")) == "Overview"


def test_a_live_environment_without_accounts_admits_nobody(world: RampWorld) -> None:
    configure(lambda: replace(world.services, environment="live"))
    assert must_sign_in(shell())


def test_an_installation_without_accounts_says_so_and_adds_the_first(screen: DashboardApp) -> None:
    assert any("No staff account exists yet" in item.value for item in screen.at.caption)
    screen.open("staff")
    assert OPEN_ACCESS in screen.text
    assert screen.at.selectbox(key="person_role").options == [
        "Admin: treasurer permissions, plus staff, merchants, keys and webhooks"
    ]
    screen.at.text_input(key="person_name").set_value("Ada")
    screen.at.text_input(key="person_password").set_value("short")
    screen.click("Add staff member")
    assert "Password must have at least 12 characters" in screen.text
    screen.at.text_input(key="person_password").set_value(WORDS)
    screen.click("Add staff member")
    assert must_sign_in(screen.at)
    sign_in(screen.at, "Ada")
    (row,) = screen.open("staff").widget("staff")["rows"]
    assert row["label"] == "Ada, Admin"


def test_an_admin_adds_changes_and_disables_accounts(screen: DashboardApp) -> None:
    add(screen.world)
    bob = add(screen.world, "Bob", "viewer")
    sign_in(screen.rerun().at, "Ada")
    screen.open("staff", id=str(bob.id))
    next(box for box in screen.at.selectbox if box.label == "Role").set_value(Role.TREASURER)
    screen.click("Change role")
    next(box for box in screen.at.text_input if box.label == "New password").set_value("short")
    screen.click("Set password")
    assert "Password must have at least 12 characters" in screen.text
    screen.open("staff", id=str(bob.id)).click("Disable this account")
    assert "Bob is signed out everywhere at once and cannot sign in any more." in screen.text
    members.disable_member(screen.world.services, staff_principal("Ada"), bob.id)
    screen.open("staff", id=str(bob.id))
    badges = [
        c["text"] for row in screen.widget("staff")["rows"] for c in row["cells"][2]["badges"]
    ]
    assert badges == ["Active", "Disabled"]
    screen.click("Let them sign in again")
    known = members.get_member_by_name(screen.world.services, MACHINE, "Bob")
    assert (known.active, known.role) == (True, Role.TREASURER)
    who, _ = audit.list_actors_and_actions(screen.world.services, MACHINE)
    assert "Ada" in who


def test_the_last_admin_cannot_be_demoted(screen: DashboardApp) -> None:
    ada = add(screen.world)
    sign_in(screen.rerun().at, "Ada")
    screen.open("staff", id=str(ada.id))
    next(box for box in screen.at.selectbox if box.label == "Role").set_value(Role.VIEWER)
    screen.click("Change role")
    assert "Ada is the last admin: make somebody else one first." in screen.text


def test_accounts_are_hidden_without_permission(screen: DashboardApp) -> None:
    add(screen.world)
    add(screen.world, "Vic", "viewer")
    sign_in(screen.rerun().at, "Vic")
    screen.open("staff")
    assert "ask a staff member with the role admin" in screen.text
    assert not screen.has_widget("staff")
    assert not [field for field in screen.at.text_input if field.key == "person_name"]


def test_the_first_keys_are_hidden_without_permission(world: RampWorld) -> None:
    requests = []

    def first_keys() -> dict[str, str]:
        requests.append("first keys")
        return {"live": "cr_live_secret"}

    configure(
        lambda: replace(
            world.services, process=replace(world.services.process, first_keys=first_keys)
        )
    )
    add(world)
    add(world, "Vic", "viewer")
    at = sign_in(shell(), "Vic")
    assert title(at) == "Overview"
    assert requests == []
    assert [code.value for code in sign_in(shell(), "Ada").code] == ["cr_live_secret"]
