"""Inventory transfers as stored: planned once, listed when due, changed by one engine at a time."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from crossway.domain.inventory_transfer import InventoryTransferKind, InventoryTransferState
from crossway.ports.inventory_transfer_repository import (
    InventoryTransferChange,
    NewInventoryTransfer,
)
from crossway.ports.store import Store
from crossway.storage.errors import ConcurrentUpdate

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
Kind, S = InventoryTransferKind, InventoryTransferState


def mint(intent_id: int, due_at: datetime = NOW) -> NewInventoryTransfer:
    return NewInventoryTransfer(
        intent_id, "GATEWAY", Kind.MINT, "", ARBITRUM, "", "0xb", 25_000_000, due_at
    )


def transfer(intent_id: int, due_at: datetime = NOW) -> NewInventoryTransfer:
    return NewInventoryTransfer(
        intent_id, "RHINOFI", Kind.TRANSFER, BASE, ARBITRUM, "0xa", "0xb", 25_000_000, due_at
    )


def plan(store: Store, *new: NewInventoryTransfer) -> None:
    store.write(lambda unit: unit.inventory_transfers.plan(new, NOW))


def test_one_of_each_kind_is_planned_for_a_payment(store: Store) -> None:
    plan(store, mint(1), transfer(2))
    plan(store, replace(mint(1), amount=1), transfer(1))
    with store.read() as unit:
        stored = unit.inventory_transfers.list_by_intents([1, 2])
    assert [(t.intent_id, t.kind, t.amount, t.attempt) for t in stored] == [
        (1, Kind.MINT, 25_000_000, 1),
        (2, Kind.TRANSFER, 25_000_000, 1),
        (1, Kind.TRANSFER, 25_000_000, 1),
    ]
    assert {t.state for t in stored} == {S.PLANNED}


def test_due_ones_are_listed_by_the_chain_of_their_transactions(store: Store) -> None:
    plan(store, mint(1), transfer(2), mint(3, LATER))

    def due(chain: str) -> list[int]:
        with store.read() as unit:
            return [t.intent_id for t in unit.inventory_transfers.list_due([chain], NOW, 10)]

    assert (due(ARBITRUM), due(BASE)) == ([1], [2])


@pytest.mark.parametrize(
    ("state", "is_listed", "reserves"),
    [
        (S.PLANNED, True, True),
        (S.SENDING, True, True),
        (S.SENT, True, False),
        (S.OVERDUE, True, False),
        (S.DELIVERED, False, False),
        (S.CLOSED, False, False),
        (S.REFUSED, False, False),
    ],
)
def test_what_is_under_way_and_what_reserves(
    store: Store, state: InventoryTransferState, is_listed: bool, reserves: bool
) -> None:
    plan(store, mint(1))
    with store.read() as unit:
        [before] = unit.inventory_transfers.list_by_intents([1])
    change = InventoryTransferChange(before, replace(before, state=state))
    store.write(lambda unit: unit.inventory_transfers.update([change]))
    with store.read() as unit:
        assert bool(unit.inventory_transfers.list_open(10)) is is_listed
        assert bool(unit.inventory_transfers.list_reserving(bridge="GATEWAY")) is reserves
        assert not unit.inventory_transfers.list_reserving(bridge="RHINOFI")
        assert not unit.inventory_transfers.list_reserving(source_chain=ARBITRUM)


def test_everything_that_changes_is_stored(store: Store) -> None:
    plan(store, transfer(1))
    with store.read() as unit:
        [before] = unit.inventory_transfers.list_by_intents([1])
    after = replace(
        before,
        state=S.AGREED,
        attempt=2,
        commitment=b"signed",
        agreement=b"answered",
        reference="7",
        source_amount=25_020_000,
        source_tx="0x1",
        destination_tx="0x2",
        reason="why",
        expires_at=LATER,
        expected_at=LATER,
        next_at=LATER,
        updated_at=LATER,
    )
    change = InventoryTransferChange(before, after)
    store.write(lambda unit: unit.inventory_transfers.update([change]))
    with store.read() as unit:
        assert unit.inventory_transfers.list_by_intents([1]) == [after]
    with pytest.raises(ConcurrentUpdate):
        store.write(lambda unit: unit.inventory_transfers.update([change]))
