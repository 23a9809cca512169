"""No page is shown before signing in, with a staff account or the setup password."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from crossway.dashboard import session
from crossway.dashboard.views.staff import OPEN_ACCESS
from crossway.domain.clients import staff_principal
from crossway.domain.roles import Role
from crossway.domain.staff import StaffMember
from crossway.usecases.staff import audit, members
from crossway.usecases.staff.members import NewStaffMember
from tests.dashboard.conftest import DashboardApp, new_dashboard
from tests.usecases.ramp_world import RampWorld

WORDS = "four words nobody expects"
MACHINE = staff_principal("command line")


def add(world: RampWorld, name: str = "Ada", role: str = "admin") -> StaffMember:
    return members.add_member(world.services, MACHINE, NewStaffMember(name, role, WORDS))


def shell() -> AppTest:
    return new_dashboard().run()


def title(at: AppTest) -> str:
    return str(at.title[0].value)


def sign_in(at: AppTest, *typed: str) -> AppTest:
    for field, text in zip(at.text_input, typed, strict=True):
        field.set_value(text)
    next(button for button in at.button if button.label == "Sign in").click()
    return at.run()


def said(at: AppTest) -> str:
    drawn = "\n".join(item.value for kind in (at.error, at.info, at.markdown) for item in kind)
    return drawn.replace("&#58;", ":")


@pytest.fixture
def with_password(world: RampWorld) -> Iterator[RampWorld]:
    session.configure(lambda: world.services, "sesame")
    yield world
    session.configure(lambda: world.services)


def test_the_setup_password_signs_in_while_no_account_exists(with_password: RampWorld) -> None:
    at = shell()
    assert title(at) == "Sign in"
    assert not at.metric
    assert "No staff account exists yet" in said(at)
    assert "That is not the password." in said(sign_in(at, "wrong"))
    assert title(sign_in(at, "sesame")) == "Overview"
    add(with_password)
    assert [field.label for field in at.run().text_input] == ["Name", "Password"]


def test_staff_sign_in_and_out(with_password: RampWorld) -> None:
    add(with_password)
    at = shell()
    assert title(at) == "Sign in"
    assert "The name or the password is wrong." in said(sign_in(at, "Ada", "sesame"))
    assert title(sign_in(at, "ada", WORDS)) == "Overview"
    assert "**Ada**" in said(at)
    next(button for button in at.button if button.label == "Sign out").click()
    assert title(at.run()) == "Sign in"
    assert "You are signed out." in said(at)
    assert title(at.run()) == "Sign in"


def test_too_many_attempts_are_told_how_long_to_wait(world: RampWorld) -> None:
    add(world)
    at = shell()
    for _ in range(5):
        sign_in(at, "Ada", "wrong")
    assert "Too many tries: wait 10 minutes, then try again." in said(sign_in(at, "Ada", WORDS))


def test_an_open_page_follows_role_changes_and_disabling(world: RampWorld) -> None:
    add(world)
    bob = add(world, "Bob", "viewer")
    at = sign_in(shell(), "Bob", WORDS)
    assert "Viewer" in said(at)
    members.set_role(world.services, MACHINE, bob.id, "treasurer")
    assert "Treasurer" in said(at.run())
    members.disable_member(world.services, MACHINE, bob.id)
    assert title(at.run()) == "Sign in"
    assert "an admin has disabled your account" in said(at)


def test_inactive_sessions_expire(world: RampWorld) -> None:
    add(world)
    at = sign_in(shell(), "Ada", WORDS)
    world.machine.seconds += 1700
    assert title(at.run()) == "Overview"
    world.machine.seconds += 1700
    assert title(at.run()) == "Overview"
    world.machine.seconds += 1801
    assert title(at.run()) == "Sign in"
    assert "You were signed out after 30 minutes without activity." in said(at)
    assert title(sign_in(at, "Ada", WORDS)) == "Overview"


def test_a_live_environment_without_accounts_admits_nobody(world: RampWorld) -> None:
    session.configure(lambda: replace(world.services, environment="live"))
    at = shell()
    assert title(at) == "Sign in"
    assert "crossway people add NAME" in said(at)
    assert not at.text_input
    assert not at.button


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
    assert title(screen.at) == "Sign in"
    sign_in(screen.at, "Ada", WORDS)
    (row,) = screen.open("staff").widget("staff")["rows"]
    assert row["label"] == "Ada, Admin"


def test_an_admin_adds_changes_and_disables_accounts(screen: DashboardApp) -> None:
    add(screen.world)
    bob = add(screen.world, "Bob", "viewer")
    sign_in(screen.rerun().at, "Ada", WORDS)
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
    sign_in(screen.rerun().at, "Ada", WORDS)
    screen.open("staff", id=str(ada.id))
    next(box for box in screen.at.selectbox if box.label == "Role").set_value(Role.VIEWER)
    screen.click("Change role")
    assert "Ada is the last admin: make somebody else one first." in screen.text


def test_accounts_are_hidden_without_permission(screen: DashboardApp) -> None:
    add(screen.world)
    add(screen.world, "Vic", "viewer")
    sign_in(screen.rerun().at, "Vic", WORDS)
    screen.open("staff")
    assert "ask a staff member with the role admin" in screen.text
    assert not screen.has_widget("staff")
    assert not [field for field in screen.at.text_input if field.key == "person_name"]


def test_the_first_keys_are_hidden_without_permission(world: RampWorld) -> None:
    requests = []

    def first_keys() -> dict[str, str]:
        requests.append("first keys")
        return {"live": "cr_live_secret"}

    session.configure(
        lambda: replace(
            world.services, process=replace(world.services.process, first_keys=first_keys)
        )
    )
    add(world)
    add(world, "Vic", "viewer")
    at = sign_in(shell(), "Vic", WORDS)
    assert title(at) == "Overview"
    assert requests == []
    assert [code.value for code in sign_in(shell(), "Ada", WORDS).code] == ["cr_live_secret"]
