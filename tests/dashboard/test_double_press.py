"""Simulated deposits are sent once, however late the second press of a double click arrives."""

from collections.abc import Callable

import pytest

from crossway.domain.intent import Intent
from tests.dashboard.conftest import DashboardApp


def _simulator(screen: DashboardApp, intent: Intent) -> None:
    screen.open("simulator").at.text_input(key="deposit_to").set_value(intent.address)
    screen.rerun()


def _payment(screen: DashboardApp, intent: Intent) -> None:
    screen.open("intent", id=str(intent.id))


def _units_at(screen: DashboardApp, intent: Intent) -> int:
    sandbox = screen.world.services.sandbox
    assert sandbox is not None
    return sum(units for _, _, units in sandbox.holdings(intent.address))


@pytest.mark.parametrize(
    ("opens", "label"),
    [(_simulator, "Send simulated tokens"), (_payment, "Pay it (simulated)")],
)
def test_a_press_of_what_is_no_longer_drawn_deposits_nothing(
    screen: DashboardApp, opens: Callable[[DashboardApp, Intent], None], label: str
) -> None:
    intent = screen.world.create_intent()
    opens(screen, intent)
    pressed = next(b for b in screen.at.button if b.label == label).proto.id
    screen.click(label)
    deposited = _units_at(screen, intent)
    assert deposited > 0
    late = next(b for b in screen.at.button if b.label == label)
    drawn, late.proto.id = late.proto.id, pressed
    late.click()
    screen.rerun()
    assert _units_at(screen, intent) == deposited
    again = next(b for b in screen.at.button if b.label == label)
    assert again.proto.id == drawn
