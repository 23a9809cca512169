"""When stored work falls due next, and the version that changes with every commit."""

from dataclasses import replace

from crossway.domain.intent import IntentEvent
from crossway.domain.outbound import OutboundTxState
from crossway.ports.due_times import ChainWork
from crossway.storage.store import SqlStore, open_store
from tests.storage.records import (
    BASE,
    NOW,
    a_new_tx,
    advance_intent,
    an_incoming_transfer,
    enqueue,
    later,
    store_deposits,
    store_intent,
    tx_change,
)

OTHER = "OPTIMISM_MAINNET"


def work_on(store: SqlStore, chain: str = BASE) -> ChainWork:
    with store.read() as unit:
        return unit.due_times.of_chains([chain, OTHER])[chain]


def test_a_chain_without_work_waits_for_nothing(store: SqlStore) -> None:
    assert work_on(store) == ChainWork(False, None, None)


def test_the_first_open_payment_of_a_chain_to_expire_is_due_next(store: SqlStore) -> None:
    intents = [store_intent(store, {"expires_at": later(seconds)}) for seconds in (90, 60, 120)]
    assert work_on(store) == ChainWork(False, None, later(60))
    assert work_on(store, OTHER) == ChainWork(False, None, None)
    advance_intent(store, intents[1], IntentEvent.DEADLINE_EMPTY)
    assert work_on(store).next_expiry_at == later(90)


def test_a_deposit_without_confirmations_is_in_progress(store: SqlStore) -> None:
    intent = store_intent(store)
    store_deposits(store, intent, an_incoming_transfer(intent))
    assert work_on(store).in_progress


def test_a_transaction_is_due_then_in_progress_until_it_is_final(store: SqlStore) -> None:
    intent = store_intent(store)
    (tx,) = enqueue(store, a_new_tx(intent))
    seen, next_at = [work_on(store)], tx.next_at
    for state in (OutboundTxState.SIGNED, OutboundTxState.CONFIRMED, OutboundTxState.FINAL):
        change = tx_change(tx, state, tx_id="0x1", block_height=7)
        store.write(lambda unit, change=change: unit.outbound_txs.update([change], NOW))
        tx = replace(tx, state=state)
        seen.append(work_on(store))
    assert [(work.in_progress, work.next_tx_at is None) for work in seen] == [
        (False, False),
        (True, True),
        (True, True),
        (False, True),
    ]
    assert seen[0].next_tx_at == next_at


def test_nothing_to_send_and_no_order_is_due_never(store: SqlStore) -> None:
    with store.read() as unit:
        assert unit.due_times.of_deliveries() is None
        assert unit.due_times.of_ramps() is None


def test_the_version_changes_with_every_commit_and_only_then(store: SqlStore, url: str) -> None:
    other = open_store(url)
    first = store.version()
    with other.read() as unit:
        unit.alerts.list_active()
    assert store.version() == first
    other.write(lambda unit: unit.leases.register_engine("x", 0))
    second = store.version()
    assert second != first
    store.write(lambda unit: unit.leases.release("x"))
    assert store.version() != second
    other.close()
