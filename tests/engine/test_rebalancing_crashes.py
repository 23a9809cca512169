"""Outcome 62: the engine is killed at each step of a rebalancing transfer, and it is carried out
once."""

from pathlib import Path

import pytest

from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.domain.ledger import Account
from crossway.domain.rebalancing import RebalancingState
from crossway.engine.loop import Engine
from tests.engine.killed_world import KilledWorld
from tests.engine.rebalancing_world import (
    ARBITRUM,
    BASE,
    DEPOSIT,
    MINT,
    TRANSFER,
    USDC,
    RebalancingWorld,
    planned,
)

OPENING = 1_000_000 * USDC
ARRIVED = RebalancingState.ARRIVED
STEPS = (
    "before-inventory-poll",
    "inventory-agreed",
    "inventory-polled",
    "signed:INVENTORY_SEND",
    "sent:INVENTORY_SEND",
    "confirmed:INVENTORY_SEND",
)
APPROVALS = ("signed:INVENTORY_APPROVE", "sent:INVENTORY_APPROVE", "confirmed:INVENTORY_APPROVE")
CASES = [
    *((TRANSFER, step, 1) for step in (*STEPS, *APPROVALS)),
    *((DEPOSIT, step, 1) for step in (*STEPS, *APPROVALS)),
    *((MINT, step, 1) for step in (*STEPS, "inventory-committed")),
    # Later answers: what is on its way, has arrived, and is final.
    *((kind, "inventory-polled", n) for kind in (TRANSFER, DEPOSIT, MINT) for n in (2, 3)),
]


class KilledRebalancing(RebalancingWorld, KilledWorld):
    """Rebalancing of which the engine is killed once."""


@pytest.mark.parametrize(("kind", "step", "number"), CASES)
def test_each_is_carried_out_once(
    tmp_path: Path, kind: InventoryTransferKind, step: str, number: int
) -> None:
    bridge = "RHINOFI" if kind is TRANSFER else "GATEWAY"
    world = KilledRebalancing(tmp_path, bridge, step=step, number=number)
    began = world.unified() if kind is not TRANSFER else 0
    transfer = world.start(planned(kind, most=1_000 * USDC if kind is DEPOSIT else None))
    world.run(120)
    assert world.left == 0, f"{step} was not reached"
    assert world.stored(transfer).state is ARRIVED
    carried = world.carried_by(transfer)
    assert (carried.state, carried.attempt) == ("CLOSED", 1)
    left = carried.source_amount if kind is not MINT else 0
    assert world.inventory(BASE) == OPENING - left
    assert world.inventory(ARBITRUM) == OPENING + (1_000 * USDC if kind is not DEPOSIT else 0)
    if kind is DEPOSIT:
        assert world.unified() == began + 1_000 * USDC
    if kind is MINT:
        assert world.unified() == began - carried.source_amount
    assert world.booked(Account.IN_TRANSIT, BASE) == 0
    world.check_books()


def test_two_engines_carry_it_out_once(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI")
    other = Engine(world.services, "other")
    transfer = world.start(planned(TRANSFER))
    for _ in range(120):
        world.pass_time(1)
        other.tick()
    assert world.stored(transfer).state is ARRIVED
    assert world.inventory(BASE) == OPENING - 1_000_800_000
    assert world.inventory(ARBITRUM) == OPENING + 1_000 * USDC
    world.check_books()


def test_one_that_the_service_never_pays_out_is_overdue_and_stays_on_its_way(
    tmp_path: Path,
) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI")
    world.set_faults("RHINOFI", unexecuted=True)
    transfer = world.start(planned(TRANSFER))
    world.pass_time(600)
    carried = world.carried_by(transfer)
    assert carried.state == "OVERDUE"
    assert world.stored(transfer).state is RebalancingState.STARTED
    assert world.booked(Account.IN_TRANSIT, BASE) == carried.source_amount
    (alert,) = world.alerts("funding_overdue")
    assert f"rebalancing transfer {transfer.id}" in alert.message
    world.check_books()


def test_one_whose_agreement_lapses_again_and_again_ends_without_moving(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI")
    # Payments need what is there, so that what is agreed to is never sent.
    world.set_inventory(BASE, 900 * USDC)
    transfer = world.start(planned(TRANSFER))
    world.pass_time(3_600, 15)
    assert world.stored(transfer).state is RebalancingState.REFUSED
    assert "lapsed" in world.stored(transfer).note
    assert world.inventory(BASE) == 900 * USDC
    world.check_books()
