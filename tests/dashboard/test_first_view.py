"""What the overview of an installation without payments offers, and when it is gone."""

from dataclasses import replace

import pytest

from crossway.domain.clients import Mode, staff_principal
from crossway.domain.intent import State
from crossway.ports.records import IntentFilter
from crossway.usecases.staff import members
from crossway.usecases.staff.members import NewStaffMember
from tests.dashboard.conftest import WORDS, DashboardApp, configure, new_dashboard, sign_in
from tests.usecases.ramp_world import RampWorld

OFFERS = ("Watch the guided story", "Fill with a demo month", "Take a test payment")


def labels(screen: DashboardApp) -> list[str]:
    return [button.label for button in screen.at.button]


def test_an_empty_installation_offers_three_ways_to_begin_and_no_empty_figures(
    screen: DashboardApp,
) -> None:
    assert "what cannot be delivered goes back to the payer" in screen.text
    assert [label for label in labels(screen) if label in OFFERS] == list(OFFERS)
    assert not screen.has_widget("figures")
    assert "No activity yet" not in screen.text


def test_the_offers_are_gone_after_the_first_payment_in_either_mode(screen: DashboardApp) -> None:
    screen.at.segmented_control(key="operator_mode").set_value(Mode.LIVE)
    screen.rerun()
    assert set(OFFERS) <= set(labels(screen))
    screen.world.create_intent()
    screen.rerun()
    assert not set(OFFERS) & set(labels(screen))
    assert screen.has_widget("figures")


def test_the_offers_stay_on_the_simulator_page(world: RampWorld, screen: DashboardApp) -> None:
    world.create_intent()
    offered = labels(screen.open("simulator"))
    assert {"Watch the guided story", "Take a test payment"} <= set(offered)


@pytest.mark.parametrize("mode", Mode)
def test_one_click_creates_a_test_payment_and_one_pays_it(screen: DashboardApp, mode: Mode) -> None:
    screen.at.segmented_control(key="operator_mode").set_value(mode)
    screen.rerun().click("Take a test payment")
    with screen.world.services.store.read() as unit:
        (intent,) = unit.intents.list_page(IntentFilter(), 10, 0)
    assert (intent.mode, intent.state, intent.out_symbol) == (Mode.TEST, State.PENDING, "USDC")
    assert intent.terms.payout_amount == 25_000_000
    screen.open("intent", id=str(intent.id))
    assert "This is in test mode" not in screen.text
    assert "Awaiting payment" in screen.text
    assert any(text.startswith("QR code") for text in screen.image_texts)
    screen.click("Pay it (simulated)")
    screen.world.wait_for_state(intent, State.COMPLETED)
    assert "Awaiting payment" not in screen.rerun().text


def test_a_live_installation_is_led_to_its_setup_first_key_and_first_link(
    world: RampWorld,
) -> None:
    configure(lambda: replace(world.services, environment="live"))
    members.add_member(
        world.services, staff_principal("command line"), NewStaffMember("Ada", "admin", WORDS)
    )
    screen = DashboardApp(sign_in(new_dashboard(), "Ada"), world)
    assert not set(OFFERS) & set(labels(screen))
    assert "crossway doctor" in screen.text
    assert "simulated" not in screen.text
    hrefs = [screen.widget(f"first_step_{n}")["links"][0]["href"] for n in range(3)]
    assert hrefs == ["alerts", "keys", "payment_links"]
