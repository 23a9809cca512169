"""Rebalancing transfers are carried out by bridges, booked, and reversed with their blocks."""

from pathlib import Path

import pytest

from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.domain.ledger import Account, unified_location
from crossway.domain.rebalancing import RebalancingMode, RebalancingSettings, RebalancingState
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

S = RebalancingState
OPENING = 1_000_000 * USDC


def test_a_transfer_moves_inventory_from_chain_to_chain(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI")
    transfer = world.start(planned(TRANSFER))
    carried = world.wait_ended(transfer)
    # rhino.fi takes 0.08 % on top of what arrives.
    assert carried.source_amount == 1_000_800_000
    assert world.inventory(BASE) == OPENING - 1_000_800_000
    assert world.inventory(ARBITRUM) == OPENING + 1_000 * USDC
    assert world.stored(transfer).state is S.ARRIVED
    assert world.booked(Account.BRIDGE_FEES, BASE) == 800_000
    assert world.booked(Account.IN_TRANSIT, BASE) == 0
    world.check_books()


def test_a_deposit_and_a_mint_move_inventory_through_the_unified_balance(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "GATEWAY")
    began = world.unified()
    deposit = world.start(planned(DEPOSIT, most=1_000 * USDC))
    world.wait_ended(deposit)
    assert world.unified() == began + 1_000 * USDC
    mint = world.start(planned(MINT))
    carried = world.wait_ended(mint)
    fee = carried.source_amount - 1_000 * USDC
    assert world.unified() == began - fee
    assert world.inventory(ARBITRUM) == OPENING + 1_000 * USDC
    assert [world.stored(t).state for t in (deposit, mint)] == [S.ARRIVED, S.ARRIVED]
    assert world.booked(Account.BRIDGE_FEES, unified_location(testnet=False)) == fee
    world.check_books()


def test_a_bridge_that_asks_for_more_than_was_planned_moves_nothing(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI")
    transfer = world.start(planned(TRANSFER, most=1_000_799_999))
    assert world.wait_ended(transfer).state == "REFUSED"
    assert world.stored(transfer).state is S.REFUSED
    assert "more than" in world.stored(transfer).note
    assert world.inventory(BASE) == OPENING
    (alert,) = world.alerts("funding_refused")
    assert alert.subject == f"rebalancing:{transfer.id}"
    assert f"for rebalancing transfer {transfer.id}" in alert.message


def test_a_mint_that_costs_more_than_was_planned_moves_nothing(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "GATEWAY")
    began = world.unified()
    transfer = world.start(planned(MINT, most=1_000 * USDC))
    assert world.wait_ended(transfer).state == "REFUSED"
    assert world.inventory(ARBITRUM) == OPENING
    assert world.booked(Account.INVENTORY, unified_location(testnet=False)) == 0
    assert world.unified() <= began


def test_one_that_no_service_agrees_to_ends_after_an_hour(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI")
    world.set_faults("RHINOFI", silent=True)
    transfer = world.start(planned(TRANSFER))
    world.pass_time(3_500, 50)
    assert world.stored(transfer).state is S.STARTED
    world.pass_time(400, 50)
    assert world.stored(transfer).state is S.REFUSED
    assert world.stored(transfer).note == "The bridge has not agreed to it within an hour."
    assert world.inventory(BASE) == OPENING


def test_what_the_service_gives_back_is_booked_back(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI")
    world.set_faults("RHINOFI", returned=True)
    transfer = world.start(planned(TRANSFER))
    assert world.wait_ended(transfer).state == "RETURNED"
    assert world.stored(transfer).state is S.RETURNED
    assert world.inventory(BASE) == OPENING
    world.check_books()


def test_while_rebalancing_is_paused_nothing_is_agreed_to(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI")
    paused = RebalancingSettings(mode=RebalancingMode.PAUSED)
    world.store.write(lambda unit: unit.rebalancing.save_settings(paused))
    transfer = world.start(planned(TRANSFER))
    world.pass_time(30)
    assert world.carried_by(transfer).state == "PLANNED"
    assert world.carried_by(transfer).reason == "Rebalancing is paused."
    world.store.write(lambda unit: unit.rebalancing.save_settings(RebalancingSettings()))
    world.pass_time(60)
    world.wait_ended(transfer)
    assert world.stored(transfer).state is S.ARRIVED


def test_what_payments_need_does_not_leave(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI")
    world.set_inventory(BASE, 900 * USDC)
    transfer = world.start(planned(TRANSFER))
    world.pass_time(40)
    assert world.carried_by(transfer).source_tx == ""
    assert world.inventory(BASE) == 900 * USDC
    assert world.alerts("stock") == []


@pytest.mark.parametrize("kind", [TRANSFER, MINT, DEPOSIT])
def test_a_send_that_a_reorganisation_removes_is_made_again_once(
    tmp_path: Path, kind: InventoryTransferKind
) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI" if kind is TRANSFER else "GATEWAY")
    transfer = world.start(planned(kind, most=None if kind is not DEPOSIT else 1_000 * USDC))
    began = world.unified() if kind is not TRANSFER else 0
    while not world.carried_by(transfer).source_tx:
        world.pass_time(1)
    world.reorganise(ARBITRUM if kind is MINT else BASE, 6, drop=1)
    carried = world.wait_ended(transfer)
    assert world.stored(transfer).state is S.ARRIVED
    if kind is TRANSFER:
        assert world.inventory(BASE) == OPENING - 1_000_800_000
    else:
        change = 1_000 * USDC if kind is DEPOSIT else -carried.source_amount
        assert world.unified() == began + change
    world.check_books()
