"""Payments that nobody paid are packed away, and come back as they were."""

import json
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from sqlalchemy import insert, select

from crossway.domain.clients import OwnerFilter
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.payment_links import LinkUse
from crossway.domain.standing import StandingState
from crossway.ports.store import UnitOfWork
from crossway.storage.archive_tables import archived_payments
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
from tests.storage.test_standing import a_transfer, add, deposits, record


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
    newest_use = LinkUse(0, link.id, "newest", newest.id, NOW, "digest")
    store.write(lambda unit: unit.payment_links.record_use(newest_use))
    settle(store)
    with store.read() as unit:
        before = unit.intents.get(unpaid.id), unit.intents.list_transitions([unpaid.id])
        uses = unit.payment_links.list_uses(link.id, 9)
        found = unit.search.find([str(unpaid.metadata["order"])], None, 9)
    assert archive(store) == 1
    assert list_ids(store) == [newest.id]
    with store.read() as unit:
        assert unit.intents.count_by_state(OwnerFilter("c-1")) == {State.EXPIRED: 1}
        assert unit.payment_links.list_uses(link.id, 9) == uses[:1]
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


def an_archived_link_payment(store: SqlStore) -> tuple[Intent, LinkUse]:
    link = added(store, a_link())
    unpaid = expired(store, by_payer=True, payment_link_id=link.id)
    use = LinkUse(1, link.id, "nonce", unpaid.id, NOW, "digest")
    store.write(lambda unit: unit.payment_links.record_use(use))
    later_use = expired(store, by_payer=True, payment_link_id=link.id)
    kept = LinkUse(0, link.id, "later", later_use.id, NOW, "digest")
    store.write(lambda unit: unit.payment_links.record_use(kept))
    expired(store)
    settle(store)
    # The newest use stays, so that its number is not given to another one.
    assert archive(store) == 1
    assert later_use.id in list_ids(store)
    return unpaid, use


def test_a_payment_comes_back_beside_one_of_the_same_form(store: SqlStore) -> None:
    """Else whoever sends a form twice, weeks apart, stops all deposits of a chain with one unit to
    the first address."""
    unpaid, use = an_archived_link_payment(store)
    again = store_intent(store, by_payer=True, payment_link_id=use.link_id)
    second = LinkUse(0, use.link_id, use.nonce, again.id, NOW, use.payer)
    assert store.write(lambda unit: unit.payment_links.record_use(second))
    assert store.write(lambda unit: unit.payment_archive.restore([unpaid.address])) == [unpaid.id]
    with store.read() as unit:
        uses = {use.intent_id: use.id for use in unit.payment_links.list_uses(use.link_id, 9)}
        found = unit.payment_links.find_use(use.link_id, use.nonce)
        assert found is not None
    assert uses[unpaid.id] == use.id
    assert found.intent_id == again.id


def test_the_number_of_an_archived_use_is_not_given_away(store: SqlStore) -> None:
    unpaid, use = an_archived_link_payment(store)
    other = store_intent(store, by_payer=True, payment_link_id=use.link_id)
    third = LinkUse(0, use.link_id, "third", other.id, NOW, "digest")
    assert store.write(lambda unit: unit.payment_links.record_use(third))
    assert store.write(lambda unit: unit.payment_archive.restore([unpaid.address])) == [unpaid.id]
    with store.read() as unit:
        assert unit.payment_links.find_use(use.link_id, use.nonce) == use


def test_a_payment_archived_by_an_earlier_version_comes_back(store: SqlStore) -> None:
    """The rows of migration v1_0010, which no migration of their tables reaches. One that renames
    or removes a column must convert them, as later ones fill in what they add."""
    link = added(store, a_link())
    packed = (Path(__file__).parent / "archived_payment.json").read_bytes()
    rows = json.loads(packed)
    (row,) = rows["intents"]
    archived = {name: row[name] for name in ("id", "address", "destination_address")}
    with store.writer.begin() as db:
        db.execute(insert(archived_payments), archived | {"packed": zlib.compress(packed)})
    assert store.write(lambda unit: unit.payment_archive.restore([row["address"]])) == [row["id"]]
    with store.read() as unit:
        intent = unit.intents.get(row["id"])
        (use,) = unit.payment_links.list_uses(link.id, 9)
        assert len(unit.intents.list_transitions([row["id"]])) == len(rows["transitions"])
    assert intent is not None
    assert (intent.address, intent.state) == (row["address"], State.EXPIRED)
    assert intent.terms.refund_address == row["refund_address"]
    assert intent.metadata == json.loads(row["metadata"])
    assert (use.intent_id, use.nonce) == (intent.id, "nonce")


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


def test_the_payment_of_a_deposit_at_a_standing_address_stays(store: SqlStore) -> None:
    """What forwards the deposit may be included, or removed by a reorg, whenever that is."""
    unpaid = expired(store)
    expired(store)
    address = add(store)
    record(store, address, a_transfer(address))
    [deposit] = deposits(store)
    forwarding = replace(deposit, state=StandingState.FORWARDING, intent_id=unpaid.id)
    store.write(lambda unit: unit.standing.update_deposits([(deposit, forwarding)]))
    settle(store)
    assert archive(store) == 0
    assert unpaid.id in list_ids(store)
