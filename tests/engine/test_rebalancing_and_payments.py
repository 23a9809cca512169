"""Payments and rebalancing transfers never count on the same units."""

from pathlib import Path

from crossway.domain.intent import State
from crossway.ports.sandbox import Faults
from crossway.usecases.money.inventory import read_inventory
from tests.engine.rebalancing_world import (
    BASE,
    DEPOSIT,
    USDC,
    RebalancingWorld,
    planned,
    usdc,
)

PAYOUT = 25 * USDC


def test_no_payment_starts_on_units_that_a_signed_transfer_takes(tmp_path: Path) -> None:
    """Its transaction waits in the mempool, so that the balance still has them."""
    world = RebalancingWorld(tmp_path, "INVENTORY", "GATEWAY")
    world.set_inventory(BASE, 1_000 * USDC)
    transfer = world.start(planned(DEPOSIT, most=1_000 * USDC))
    while world.carried_by(transfer).state != "SENDING":
        world.pass_time(0.25, 0.25)
    world.sandbox.inject_faults(BASE, Faults(slow_blocks=100))
    assert world.inventory(BASE) == 1_000 * USDC
    intent = world.pay(source="BSC_MAINNET", to=BASE)
    assert intent.terms.bridge == "INVENTORY"
    world.pass_time(20)
    assert world.carried_by(transfer).state == "SENDING"
    assert world.reload(intent).state is State.FUNDED
    (alert,) = world.alerts("stock")
    assert alert.key == f"stock:{BASE}:USDC"
    # The treasury page tells the same.
    positions = read_inventory(world.services, {usdc(BASE)}).positions
    assert [position.missing for position in positions] == [PAYOUT]
    world.set_inventory(BASE, 1_000 * USDC + PAYOUT)
    world.sandbox.inject_faults(BASE, Faults(slow_blocks=1))
    world.wait_for_state(intent, State.COMPLETED)
    assert world.paid(intent) == PAYOUT
    world.wait_ended(transfer)
    world.check_books()
