"""Each payment's work is listed for the shard that has the payment, and for no other."""

from collections.abc import Callable, Collection
from dataclasses import replace

import pytest
from sqlalchemy import update

from crossway.domain.intent import Intent
from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.domain.outbound import OutboundTxState
from crossway.ports.inventory_transfer_repository import NewInventoryTransfer
from crossway.ports.shards import ALL_SHARDS, Shards
from crossway.ports.store import UnitOfWork
from crossway.storage.bridge_tables import bridge_transfers
from crossway.storage.store import SqlStore
from tests.storage.records import (
    ARBITRUM,
    BASE,
    NOW,
    a_new_tx,
    an_incoming_transfer,
    enqueue,
    later,
    store_deposits,
    store_intent,
    tx_change,
)

PAYMENTS, COUNT = 7, 3
Listing = Callable[[UnitOfWork, Shards], Collection[int]]
S = OutboundTxState


def put_deposits(store: SqlStore, intents: list[Intent]) -> None:
    for intent in intents:
        store_deposits(store, intent, an_incoming_transfer(intent))


def put_in_state(state: OutboundTxState) -> Callable[[SqlStore, list[Intent]], None]:
    def put(store: SqlStore, intents: list[Intent]) -> None:
        txs = enqueue(store, *(a_new_tx(intent) for intent in intents))
        height = {"block_height": 7} if state is S.CONFIRMED else {}
        for through in (S.SIGNED, state)[: (S.DUE, S.SIGNED, S.CONFIRMED).index(state)]:
            changes = [tx_change(tx, through, tx_id="x", **height) for tx in txs]
            store.write(lambda unit, made=changes: unit.outbound_txs.update(made, NOW))
            txs = [replace(tx, state=through) for tx in txs]

    return put


def put_bridge_transfers(store: SqlStore, intents: list[Intent]) -> None:
    store.write(lambda unit: unit.bridge_transfers.plan(intents, NOW))
    with store.writer.begin() as db:
        db.execute(update(bridge_transfers).values(state="SEEN"))


def put_inventory_transfers(store: SqlStore, intents: list[Intent]) -> None:
    new = [inventory_transfer(intent.id) for intent in intents]
    store.write(lambda unit: unit.inventory_transfers.plan(new, NOW))


def inventory_transfer(owner: int) -> NewInventoryTransfer:
    kind = InventoryTransferKind.TRANSFER
    return NewInventoryTransfer(owner, "RHINOFI", kind, BASE, ARBITRUM, "0xa", "0xb", 1, NOW)


def intent_ids(records: Collection[object]) -> list[int]:
    return [record.intent_id for record in records]  # type: ignore[attr-defined]


LISTINGS = {
    "deposits": (
        put_deposits,
        lambda unit, of: intent_ids(unit.deposits.list_ready({BASE: 999}, 9, shards=of)),
    ),
    "due": (
        put_in_state(S.DUE),
        lambda unit, of: intent_ids(unit.outbound_txs.list_due([BASE], later(9), 9, of)),
    ),
    "signed": (
        put_in_state(S.SIGNED),
        lambda unit, of: intent_ids(unit.outbound_txs.list_signed([BASE], 9, of)),
    ),
    "final": (
        put_in_state(S.CONFIRMED),
        lambda unit, of: intent_ids(unit.outbound_txs.list_final({BASE: 9}, 9, of)),
    ),
    "expired": (
        lambda store, intents: None,
        lambda unit, of: unit.intents.list_expired({BASE: later(9_999)}, 9, of).get(BASE, []),
    ),
    "bridges": (
        put_bridge_transfers,
        lambda unit, of: intent_ids(unit.bridge_transfers.list_due([BASE], later(9), 9, of)),
    ),
    "inventory": (
        put_inventory_transfers,
        lambda unit, of: intent_ids(unit.inventory_transfers.list_due([BASE], later(9), 9, of)),
    ),
}


@pytest.mark.parametrize("name", LISTINGS)
def test_work_is_listed_for_the_shards_of_its_payment(store: SqlStore, name: str) -> None:
    put, listed = LISTINGS[name]
    intents = [store_intent(store) for _ in range(PAYMENTS)]
    put(store, intents)
    with store.read() as unit:
        assert sorted(listed(unit, ALL_SHARDS)) == [intent.id for intent in intents]
        for held in ({0}, {1}, {2}, {0, 2}, {0, 1, 2}):
            theirs = [intent.id for intent in intents if intent.id % COUNT in held]
            assert sorted(listed(unit, Shards(COUNT, frozenset(held)))) == theirs


def test_what_rebalances_has_a_shard_by_its_number(store: SqlStore) -> None:
    new = [inventory_transfer(-number) for number in range(1, PAYMENTS + 1)]
    store.write(lambda unit: unit.inventory_transfers.plan(new, NOW))
    with store.read() as unit:
        of_shards = [
            {t.intent_id for t in unit.inventory_transfers.list_due([BASE], NOW, 9, shards)}
            for number in range(COUNT)
            for shards in [Shards(COUNT, frozenset({number}))]
        ]
    assert of_shards == [{-3, -6}, {-1, -4, -7}, {-2, -5}]


def test_the_next_due_time_is_that_of_the_shards(store: SqlStore) -> None:
    intents = [store_intent(store, {"expires_at": later(60 * n)}) for n in range(PAYMENTS)]
    with store.read() as unit:
        for number in range(COUNT):
            work = unit.due_times.of_chains([BASE], Shards(COUNT, frozenset({number})))[BASE]
            theirs = [i.terms.expires_at for i in intents if i.id % COUNT == number]
            assert (work.in_progress, work.next_expiry_at) == (False, min(theirs))
    store_deposits(store, intents[0], an_incoming_transfer(intents[0]))
    with store.read() as unit:
        in_progress = {
            number
            for number in range(COUNT)
            if unit.due_times.of_chains([BASE], Shards(COUNT, frozenset({number})))[
                BASE
            ].in_progress
        }
    assert in_progress == {intents[0].id % COUNT}
