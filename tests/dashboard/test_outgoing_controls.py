"""The controls on outgoing money on screen: who sees which button, the banner, and the lists."""

import pytest
from streamlit.testing.v1 import AppTest

from crossway.domain.clients import staff_principal
from crossway.ports.sandbox import Faults
from crossway.usecases.money import address_book, approvals, emergency_stop, transfer_caps
from crossway.usecases.payments.manual_transfers import CARRY_OUT
from crossway.usecases.staff import members
from tests.dashboard.conftest import COOKIE, WORDS, DashboardApp, sign_in

BASE = "BASE_MAINNET"
MACHINE = staff_principal("command line")
SCREEN = staff_principal("Operator")


@pytest.fixture
def staffed(screen: DashboardApp) -> DashboardApp:
    roles = {"Ada": "admin", "Tess": "treasurer", "Otto": "operator", "Vic": "viewer"}
    for name, role in roles.items():
        request = members.NewStaffMember(name, role, WORDS, None)
        members.add_member(screen.world.services, MACHINE, request)
    return screen


def labels(screen: DashboardApp) -> set[str]:
    return {button.label for button in screen.at.button}


def become(screen: DashboardApp, name: str) -> AppTest:
    return sign_in(screen.at, name)


def test_every_page_has_the_button_and_then_the_banner(staffed: DashboardApp) -> None:
    services = staffed.world.services
    become(staffed, "Otto")
    staffed.open("intents").click("Emergency stop")
    assert staffed.at.text_input(key="confirm_text").label == "Reason"
    assert staffed.at.button(key="confirm_yes").label == "Stop everything now"
    emergency_stop.press(services, staff_principal("Otto"), "The key leaked")
    stop = emergency_stop.get_stop(services, MACHINE)
    assert stop is not None
    sentence = (
        f"All outgoing money has been stopped since {stop.at.day} {stop.at:%b %Y, %H:%M} UTC, "
        "by Otto: The key leaked."
    )
    for page in ("overview", "intents", "staff", "simulator"):
        assert sentence in staffed.open(page).text
        assert "Emergency stop" not in labels(staffed)
    strip = staffed.widget("alert_strip")["alerts"]
    assert strip["newest"]["next_step"] == "Release it with a second person: Treasury"
    asked = emergency_stop.request_release(services, SCREEN, "fine")
    approvals.approve(services, MACHINE, asked.id, CARRY_OUT)
    assert sentence not in staffed.open("overview").text
    assert "Emergency stop" in labels(staffed)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Vic", set()),
        ("Otto", set()),
        ("Tess", {"Approve", "Decline", "Set cap"}),
        ("Ada", {"Approve", "Decline", "Set cap"}),
    ],
)
def test_who_decides(staffed: DashboardApp, name: str, shown: set[str]) -> None:
    services = staffed.world.services
    emergency_stop.press(services, MACHINE, "The key leaked")
    emergency_stop.request_release(services, MACHINE, "fine")
    become(staffed, name)
    staffed.open("treasury")
    decisive = {"Ask for its release", "Approve", "Decline", "Take back", "Set cap"}
    assert labels(staffed) & decisive == shown
    assert "by command line: The key leaked." in staffed.text
    rows = str(staffed.widget("approvals"))
    assert "Money may go out again: fine. It was stopped by command line: The key leaked." in rows


def test_who_asked_can_only_take_it_back(screen: DashboardApp) -> None:
    services = screen.world.services
    emergency_stop.press(services, MACHINE, "The key leaked")
    assert "Ask for its release" in labels(screen.open("treasury"))
    asked = emergency_stop.request_release(services, SCREEN, "fine")
    screen.open("treasury")
    assert labels(screen) & {"Approve", "Decline", "Take back"} == {"Take back"}
    assert "You asked for it: another person has to approve it." in screen.text
    approvals.decline(services, MACHINE, asked.id, "Not before Monday")
    assert "Not before Monday" in str(screen.open("treasury").widget("past_approvals"))
    assert "Nothing waits for a second person." in screen.text


def test_addresses_and_caps_are_listed_and_caps_set(screen: DashboardApp) -> None:
    world = screen.world
    screen.open("treasury")
    assert "The address book is empty." in screen.text
    wallet = world.wallet(BASE, "elsewhere")
    address_book.add_address(world.services, MACHINE, BASE, wallet, "The office")
    assert wallet in str(screen.open("treasury").widget("address_book"))
    assert "Remove The office on Base" in labels(screen)
    screen.at.text_input(key="cap_amount").set_value("50,000")
    screen.click("Set cap")
    # The comma could be a decimal one: how it is read is shown first.
    assert transfer_caps.list_caps(world.services, MACHINE) == []
    assert "“50,000” is read as 50000. For 50 write 50" in screen.text
    assert "Check how the amount is read, then press the button again." in screen.text
    screen.click("Set cap")
    ((cap, used),) = transfer_caps.list_caps(world.services, MACHINE)
    assert (cap.amount, used) == (50_000 * 10**6, 0)
    assert "50,000" in str(screen.open("treasury").widget("caps"))
    screen.click("No cap")
    assert transfer_caps.list_caps(world.services, MACHINE) == []


def test_a_refund_goes_to_an_address_of_the_book(screen: DashboardApp) -> None:
    world = screen.world
    intent = world.create_intent()
    world.sandbox.inject_faults(BASE, Faults(refuse=(intent.terms.refund_address,)))
    world.deposit(intent, "short")
    world.pass_time(4_000, 100)
    wallet = world.wallet(BASE, "elsewhere")
    address_book.add_address(world.services, MACHINE, BASE, wallet, "The payer's other wallet")
    screen.open("intent", id=str(intent.id))
    screen.click(next(label for label in labels(screen) if "address" in label))
    choice = screen.at.selectbox(key="confirm_choice")
    assert choice.options == [f"The payer's other wallet ({wallet})"]


def test_nobody_signed_in_sees_nothing_of_it(staffed: DashboardApp) -> None:
    emergency_stop.press(staffed.world.services, MACHINE, "The key leaked")
    staffed.at.session_state[COOKIE] = ""
    staffed.at.run()
    assert "The key leaked" not in staffed.text
