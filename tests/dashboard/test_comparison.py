"""Quoted against actual on a payment's page, where money arrived late or again."""

from crossway.dashboard.views.intent_comparison import build_comparison_rows
from crossway.dashboard.views.intent_detail import load_intent_detail
from crossway.domain.intent import Intent, State
from crossway.ports.sandbox import Faults
from tests.usecases.ramp_world import BASE, RampWorld

LATE, AGAIN = "Deposited after the expiry", "Deposited again"
FULL, HALF = "25.06325 USDC", "12.531625 USDC"
AFTER_EXPIRY = 3_700


def compared(world: RampWorld, intent: Intent) -> dict[str, tuple[str, str]]:
    """Quoted and actual by the name of the row."""
    detail = load_intent_detail(world.services, world.operator, intent.id)
    rows = build_comparison_rows(world.services.catalogue, detail)
    return {row.cells[0].text: (row.cells[1].text, row.cells[2].text) for row in rows}


def test_a_deposit_after_the_expiry_is_no_deposit_of_zero(world: RampWorld) -> None:
    intent = world.create_intent()
    world.pass_time(AFTER_EXPIRY, 60)
    world.deposit(intent)
    world.pass_time(300, 10)
    assert world.reload(intent).state is State.REFUNDED
    rows = compared(world, intent)
    assert rows["Deposit"] == (FULL, "–")
    assert rows[LATE] == ("–", FULL)
    assert rows["Refunded"] == ("–", FULL)
    assert rows["Recipient gets"] == ("25.00 USDC", "–")
    # It was confirmed, as the quote said, before it went back.
    assert rows["Confirmation time"] == ("about 8 s", "10 s")


def test_what_arrived_in_time_and_what_arrived_late_add_up_to_the_refund(world: RampWorld) -> None:
    intent = world.create_intent()
    world.deposit(intent, "short")
    world.pass_time(AFTER_EXPIRY, 60)
    world.deposit(intent)
    world.pass_time(300, 10)
    rows = compared(world, intent)
    assert (rows["Deposit"], rows[LATE]) == ((FULL, HALF), ("–", HALF))
    assert rows["Refunded"] == ("–", FULL)


def test_a_deposit_after_the_payout_is_told_apart_from_the_payment(world: RampWorld) -> None:
    intent = world.create_intent()
    world.deposit(intent)
    world.pass_time(60, 10)
    assert world.reload(intent).state is State.COMPLETED
    world.deposit(intent, "5000000")
    world.pass_time(AFTER_EXPIRY, 60)
    rows = compared(world, intent)
    assert (rows["Deposit"], rows[AGAIN]) == ((FULL, FULL), ("–", "5.00 USDC"))
    assert rows["Refunded"] == ("–", "5.00 USDC")


def test_a_late_deposit_that_a_reorganization_undid_is_not_shown(world: RampWorld) -> None:
    intent = world.create_intent()
    world.pass_time(AFTER_EXPIRY, 60)
    world.deposit(intent)
    world.pass_time(3, 1)
    world.sandbox.inject_faults(BASE, Faults(reorg_depth=5, drop_next=1))
    world.pass_time(300, 10)
    assert LATE not in compared(world, intent)


def test_an_open_payment_waits_for_its_deposit(world: RampWorld) -> None:
    assert compared(world, world.create_intent())["Deposit"] == (FULL, "not yet")
