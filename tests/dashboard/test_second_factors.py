"""Second factors on screen: adding them, signing in with them, and confirming an action."""

from dataclasses import replace
from typing import Any

import pyotp
import pytest
import streamlit as st

from crossway.dashboard import downloads, session
from crossway.domain.clients import Principal, staff_principal
from crossway.domain.roles import Role
from crossway.domain.staff import StaffMember
from crossway.ports.policy import SessionPolicy
from crossway.usecases.staff import members, second_factors, sessions, sign_in
from crossway.usecases.staff.members import NewStaffMember
from crossway.usecases.staff.sign_in import SecondFactorRequired
from tests.dashboard import conftest
from tests.dashboard.conftest import COOKIE, WORDS, DashboardApp, configure, new_dashboard
from tests.usecases.ramp_world import RampWorld

OTHER_WORDS = "words of some other kind"
MACHINE: Principal = staff_principal("command line")


@pytest.fixture
def office(screen: DashboardApp) -> DashboardApp:
    """A dashboard with Ada, an admin, and Vic, a viewer."""
    add(screen.world, "Ada", "admin")
    add(screen.world, "Vic", "viewer")
    return screen.rerun()


def add(world: RampWorld, name: str, role: str) -> StaffMember:
    return members.add_member(world.services, MACHINE, NewStaffMember(name, role, WORDS))


def field(screen: DashboardApp, label: str) -> Any:
    """The last field with this label: a dialog is drawn after its page."""
    return [box for box in screen.at.text_input if box.label == label][-1]


def enter(screen: DashboardApp, name: str = "Ada", password: str = WORDS) -> DashboardApp:
    """Somebody without a second factor signs in."""
    conftest.sign_in(screen.at, name, password)
    return screen.rerun()


def enter_with_code(screen: DashboardApp, code: str, name: str = "Ada") -> DashboardApp:
    services = screen.world.services
    with pytest.raises(SecondFactorRequired) as asked:
        sign_in.sign_in_with_password(services, name, WORDS, "192.0.2.77")
    token = sign_in.complete_sign_in(services, asked.value.pending, code, "192.0.2.77")
    screen.at.session_state[COOKIE] = token
    return screen.rerun()


def leave(screen: DashboardApp) -> None:
    """Sign out, as the sign-in pages do."""
    assert screen.has_widget("sign_out")
    sessions.sign_out(screen.world.services, screen.at.session_state[COOKIE])


def enrolled(world: RampWorld, name: str = "Ada") -> tuple[pyotp.TOTP, tuple[str, ...]]:
    """An authenticator app of a person, and their recovery codes."""
    services = world.services
    token = sign_in.sign_in_with_password(services, name, WORDS, "192.0.2.77")
    active = sessions.get_own_session(services, token)
    assert active is not None
    enrolment = second_factors.begin_authenticator(services, active)
    app = pyotp.TOTP(enrolment.secret)
    codes = second_factors.confirm_authenticator(services, active, enrolment, code(world, app))
    sessions.sign_out(services, token)
    return app, codes


def code(world: RampWorld, app: pyotp.TOTP) -> str:
    return str(app.at(int(world.machine.seconds)))


def title(screen: DashboardApp) -> str:
    return str(screen.at.title[0].value)


def labels(screen: DashboardApp) -> list[str]:
    return [box.label for box in screen.at.text_input]


def set_up_app(screen: DashboardApp) -> list[str]:
    """Add an authenticator app on the screen; returns the recovery codes shown."""
    screen.click("Set up an authenticator app")
    assert "QR code for an authenticator app" in screen.image_texts
    secret = str(screen.at.code[0].value)
    digits = code(screen.world, pyotp.TOTP(secret))
    field(screen, "2. Enter the six digits that the app shows").set_value("000000")
    assert "Code is wrong" in screen.click("Add this app").text
    field(screen, "2. Enter the six digits that the app shows").set_value(digits)
    screen.click("Add this app")
    assert title(screen) == "Your recovery codes"
    return str(screen.at.code[0].value).split()


def test_an_authenticator_app_is_added_and_asked_for(office: DashboardApp) -> None:
    enter(office).open("account")
    assert "Anybody who learns your password can sign in as you." in office.text
    codes = set_up_app(office)
    assert len(codes) == 10
    office.open("overview")
    assert title(office) == "Your recovery codes"  # Until they are saved.
    office.click("I have saved them")
    assert codes[0] not in office.text
    assert "10 of 10 left" in office.open("account").text.replace("**", "")
    leave(office)
    enter_with_code(office, codes[3])
    assert title(office) == "Your sign-in"
    assert "9 of 10 left" in office.text.replace("**", "")


def test_a_required_second_factor_comes_before_everything_else(office: DashboardApp) -> None:
    strict = with_policy(office.world, SessionPolicy(second_factor_from=Role.ADMIN))
    office.world.services = strict
    enter(office.rerun())
    token = str(office.at.session_state[COOKIE])
    assert session.is_own_token(token)  # The gate lets them in, to this page alone.
    assert downloads.find_principal(strict, token) is None
    for page in ("overview", "keys", "staff", "account"):
        office.open(page)
        assert title(office) == "Add a second factor"
        assert not office.at.metric
        assert not [b for b in office.at.button if b.label.startswith("Create")]
    set_up_app(office)
    office.click("I have saved them")
    assert title(office) == "Your sign-in"
    office.click("Remove the app")
    assert "Its codes no longer sign you in." in office.text
    leave(office)
    assert title(enter(office, "Vic")) != "Add a second factor"


def with_policy(world: RampWorld, policy: SessionPolicy) -> Any:
    changed = replace(world.services, policy=replace(world.services.policy, sessions=policy))
    configure(lambda: changed)
    st.cache_resource.clear()
    return changed


def test_a_sensitive_action_waits_until_the_person_has_confirmed(office: DashboardApp) -> None:
    enter(office).open("staff")
    office.world.machine.seconds += 301
    office.at.text_input(key="person_name").set_value("Bob")
    office.at.text_input(key="person_password").set_value(OTHER_WORDS)
    office.click("Add staff member")
    assert "You are not asked again for five minutes." in office.text
    assert names(office.world) == ["Ada", "Vic"]
    field(office, "Password").set_value("wrong")
    assert "The password is wrong." in confirm(office).text
    assert office.at.text_input(key="person_name").value == "Bob"
    field(office, "Password").set_value(WORDS)
    confirm(office)
    assert names(office.world) == ["Ada", "Vic", "Bob"]
    assert "You are not asked again" not in office.text
    assert sign_in.sign_in_with_password(office.world.services, "Bob", OTHER_WORDS, "192.0.2.1")


def confirm(screen: DashboardApp) -> DashboardApp:
    next(button for button in screen.at.button if button.label == "Confirm").click()
    return screen.rerun()


def names(world: RampWorld) -> list[str]:
    return [member.name for member in members.list_members(world.services, MACHINE)]


def test_with_an_authenticator_app_the_password_confirms_nothing(office: DashboardApp) -> None:
    app, _ = enrolled(office.world)
    office.world.machine.seconds += 60
    enter_with_code(office, code(office.world, app)).open("keys")
    office.world.machine.seconds += 330
    before = len(list_keys(office.world))
    office.click("Create API key")
    assert labels(office)[-1] == "Code of your authenticator app"
    field(office, "Code of your authenticator app").set_value(WORDS)
    confirm(office)
    assert len(list_keys(office.world)) == before
    field(office, "Code of your authenticator app").set_value(code(office.world, app))
    confirm(office)
    assert len(list_keys(office.world)) == before + 1
    assert "Shown **once**" in office.text


def list_keys(world: RampWorld) -> list[Any]:
    with world.services.store.read() as unit:
        return unit.api_keys.list_api_keys(None)


def test_the_own_password_is_changed_and_other_browsers_are_signed_out(
    office: DashboardApp,
) -> None:
    other = DashboardApp(new_dashboard(), office.world).rerun()
    enter(other)
    enter(office).open("account")
    assert len(office.widget("own_sessions")["rows"]) == 2
    field(office, "Current password").set_value("wrong")
    field(office, "New password").set_value(OTHER_WORDS)
    assert "The password is wrong." in office.click("Change password").text
    field(office, "Current password").set_value(WORDS)
    field(office, "New password").set_value("Password1234!")
    assert "one of the most common" in office.click("Change password").text
    field(office, "New password").set_value(OTHER_WORDS)
    office.click("Change password")
    assert len(office.widget("own_sessions")["rows"]) == 1
    assert title(other.rerun()) == "Sign in"
    assert title(enter(other, "Ada", OTHER_WORDS)) == "Overview"
    office.open("account").click("Sign out everywhere else")
    assert title(other.rerun()) == "Sign in"


def test_an_admin_resets_a_second_factor(office: DashboardApp) -> None:
    enrolled(office.world, "Vic")
    enter(office).open("staff")
    cells = [row["cells"][3]["sub"] for row in office.widget("staff")["rows"]]
    assert cells == ["No second factor", "Authenticator app"]
    office.open("staff", id="2").click("Reset the second factor")
    assert "Be sure that it is them who asks for this." in office.text


def test_without_accounts_there_is_nothing_to_manage(screen: DashboardApp) -> None:
    screen.open("account")
    assert "You have no staff account of your own." in screen.text
    screen.open("keys").click("Create API key")  # Nobody is asked where nobody signs in.
    assert "Shown **once**" in screen.text


def test_single_sign_on_alone_confirms_by_signing_in_again(office: DashboardApp) -> None:
    services = office.world.services
    request = NewStaffMember("Eve", "admin", None, "eve@example.com")
    members.add_member(services, MACHINE, request)
    now = services.clock.machine()
    token = sign_in.sign_in_with_provider(services, "eve@example.com", True, now, "iss sub 1")
    office.at.session_state[COOKIE] = token
    assert "You sign in through your identity provider" in office.open("account").text
    office.world.machine.seconds += 301
    office.click("Set up an authenticator app")
    assert "sign in again, then ask for it once more" in office.text
    assert office.widget("sign_in_again") == {
        "label": "Sign in again", "again": True, "primary": True,
    }  # fmt: skip
