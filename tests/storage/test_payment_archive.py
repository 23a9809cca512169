"""Payments that nobody paid are packed away, and come back as they were."""

import threading
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import insert, select

from crossway.domain.clients import OwnerFilter
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.payment_links import LinkUse
from crossway.ports.store import UnitOfWork
from crossway.storage.search_tables import notes
from crossway.storage.store import SqlStore
from crossway.storage.tables import intents
from crossway.storage.webhook_tables import outbox
from crossway.usecases.operating.payment_figures import count_changes
from tests.storage.records import (
    NOW,
    advance_intent,
    an_incoming_transfer,
    later,
    store_deposits,
    store_intent,
)
from tests.storage.test_payment_links import a_link, added


def expired(store: SqlStore, **more: object) -> Intent:
    return advance_intent(store, store_intent(store, **more), IntentEvent.DEADLINE_EMPTY)


def settle(store: SqlStore) -> None:
    """Count the figures and delete the events of all payments."""
    while count_changes(store):
        pass
    with store.writer.begin() as db:
        db.execute(outbox.delete())


def archive(store: SqlStore) -> int:
    return store.write(lambda unit: unit.payment_archive.archive(later(9_999), 100))


def list_ids(store: SqlStore) -> list[int]:
    with store.reader.connect() as db:
        return list(db.execute(select(intents.c.id).order_by(intents.c.id)).scalars())


def test_a_payment_comes_back_as_it_was(store: SqlStore) -> None:
    link = added(store, a_link())
    unpaid = expired(store, by_payer=True, payment_link_id=link.id)
    use = LinkUse(0, link.id, "nonce", unpaid.id, NOW, "digest")
    store.write(lambda unit: unit.payment_links.record_use(use))
    newest = expired(store)
    settle(store)
    with store.read() as unit:
        before = unit.intents.get(unpaid.id), unit.intents.list_transitions([unpaid.id])
        uses = unit.payment_links.list_uses(link.id, 9)
        found = unit.search.find([str(unpaid.metadata["order"])], None, 9)
    assert archive(store) == 1
    assert list_ids(store) == [newest.id]
    with store.read() as unit:
        assert unit.intents.count_by_state(OwnerFilter("c-1")) == {State.EXPIRED: 1}
        assert unit.payment_links.list_uses(link.id, 9) == []
        known = unit.payment_archive.find_known
        assert known([unpaid.address, "x"]) == {unpaid.address}
        assert known([unpaid.destination_address]) == {unpaid.destination_address}
        assert unit.payment_archive.find_address(unpaid.id) == unpaid.address
    restored = store.write(lambda unit: unit.payment_archive.restore([unpaid.address, "x"]))
    assert restored == [unpaid.id]
    with store.read() as unit:
        after = unit.intents.get(unpaid.id), unit.intents.list_transitions([unpaid.id])
        assert after == before
        assert unit.intents.count_by_state(OwnerFilter("c-1")) == {State.EXPIRED: 2}
        assert unit.payment_links.list_uses(link.id, 9) == uses
        assert unit.search.find([str(unpaid.metadata["order"])], None, 9) == found
        assert unit.payment_archive.find_known([unpaid.address]) == set()


def test_payments_that_something_refers_to_stay(store: SqlStore) -> None:
    deposited, noted, pending = expired(store), expired(store), store_intent(store)
    ordered, announced, newest = expired(store, order_id=7), expired(store), expired(store)
    store_deposits(store, deposited, an_incoming_transfer(deposited))
    note = {"subject": f"intent:{noted.id}", "at": 0, "author": "ada", "text": "waits"}
    settle(store)
    with store.writer.begin() as db:
        db.execute(insert(notes), note)
        event = {"event_id": "e", "client_id": "c-1", "type": "t", "kind": "intent", "at": 0}
        event |= {"resource_id": announced.id, "snapshot": "{}", "position": 1}
        db.execute(insert(outbox), event)
    kept = [deposited, noted, pending, ordered, announced, newest]
    assert archive(store) == 0
    assert list_ids(store) == sorted(payment.id for payment in kept)


def test_payments_are_archived_when_their_figures_are_counted(store: SqlStore) -> None:
    expired(store), expired(store)
    with store.writer.begin() as db:
        db.execute(outbox.delete())
    assert archive(store) == 0
    settle(store)
    assert archive(store) == 1


def test_a_payment_that_money_is_recorded_for_is_not_archived(store: SqlStore) -> None:
    """Else the deposit would belong to a payment that is gone, and nobody would return it."""
    unpaid, _ = expired(store), expired(store)
    settle(store)
    recording, archived = threading.Event(), threading.Event()

    def record(unit: UnitOfWork) -> int:
        unit.payment_archive.pause()
        found = unit.intents.find_ids_by_address({unpaid.address})
        recording.set()
        # Archiving waits for this transaction, and so does not end before it.
        archived.wait(0.5)
        unit.deposits.add([(found[unpaid.address], an_incoming_transfer(unpaid), 1)])
        return found[unpaid.address]

    with ThreadPoolExecutor(1) as other:
        recorded = other.submit(store.write, record)
        assert recording.wait(60)
        packed = archive(store)
        archived.set()
        assert recorded.result(60) == unpaid.id
    assert packed == 0
    assert unpaid.id in list_ids(store)
