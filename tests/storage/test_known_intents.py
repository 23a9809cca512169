"""Payments that a process remembers are never other than the database has them."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from crossway.domain.intent import Intent, IntentEvent, State
from crossway.storage.intent_rows import changing_values
from crossway.storage.known_intents import KnownIntents
from crossway.storage.store import SqlStore, open_store
from tests.databases import fast
from tests.statements import recorded
from tests.storage.records import VAULT, advance_intent, an_intent, intent_change, store_intent

CREDITED = {"received_amount": 25_000_000, "balance_at_address": 25_000_000}


def read(store: SqlStore, intent: Intent) -> Intent:
    with store.read() as unit:
        return unit.intents.get_many([intent.id])[intent.id]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_row_is_decoded_once_while_it_stays_the_same(store: SqlStore) -> None:
    intent = store_intent(store)
    assert read(store, intent) == intent
    with recorded(store.reader) as statements:
        assert read(store, intent) is read(store, intent)
    assert not any("intents.recipient" in statement for statement in statements)


def test_what_this_process_changed_is_known(store: SqlStore) -> None:
    intent = store_intent(store)
    read(store, intent)
    after = advance_intent(store, intent, IntentEvent.DEPOSIT_FULL, **CREDITED)
    assert read(store, intent) == after
    assert after.state is State.FUNDED


def test_what_another_process_changed_is_read(store: SqlStore, url: str) -> None:
    intent = store_intent(store)
    read(store, intent)
    other = open_store(fast(url))
    other.unlock(VAULT)
    after = advance_intent(other, intent, IntentEvent.DEPOSIT_FULL, **CREDITED)
    other.close()
    assert read(store, intent) == after


def test_what_was_not_committed_is_forgotten(store: SqlStore) -> None:
    intent = store_intent(store)
    read(store, intent)
    change = intent_change(intent, IntentEvent.DEPOSIT_FULL, **CREDITED)

    def fail(unit: object) -> None:
        unit.intents.apply([change])  # type: ignore[attr-defined]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write(fail)
    assert read(store, intent) == intent
    assert store.write(lambda unit: unit.intents.lock([intent.id])) == {intent.id: intent}


def test_what_never_changes_is_read_anew_before_anything_is_signed(store: SqlStore) -> None:
    intent = store_intent(store)
    read(store, intent)
    with store.writer.begin() as db:
        db.execute(text("UPDATE intents SET recipient = 'a thief'"))
    with store.read() as unit:
        whole = unit.intents.get_whole([intent.id])[intent.id]
    assert whole.terms.recipient == "a thief"


def test_the_oldest_are_forgotten() -> None:
    known = KnownIntents(limit=2)
    made = [replace(an_intent(), id=number) for number in (1, 2, 3)]
    for intent in made:
        known.remember(intent, changing_values(intent))
    found = [known.find(i.id, (i.intent_hash, *changing_values(i))) for i in made]
    assert found == [None, *made[1:]]
