"""Which old records are deleted, and which stay whatever their age."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, insert, select

from crossway.storage.ramp_tables import processed_updates
from crossway.storage.store import SqlStore
from crossway.storage.webhook_tables import deliveries, delivery_attempts, outbox
from tests.storage.records import NOW, later

MICRO = 1_000_000


def micros(seconds: float) -> int:
    return int((NOW.timestamp() + seconds) * MICRO)


def put(store: SqlStore, table: Any, **row: Any) -> None:
    with store.writer.begin() as db:
        db.execute(insert(table), row)


def add_event(store: SqlStore, number: int, at: float, position: int | None) -> None:
    put(
        store,
        outbox,
        id=number,
        event_id=f"evt_{number}",
        client_id="c-1",
        type="intent_created",
        kind="intent",
        resource_id=1,
        at=micros(at),
        snapshot="{}",
        position=position,
        mode="test",
    )


def add_delivery(store: SqlStore, number: int, at: float, state: str, event: int = 1) -> None:
    put(
        store,
        deliveries,
        id=number,
        webhook_id=1,
        event_id=event,
        sequence_key="",
        state=state,
        attempt_count=1,
        next_at=0,
        leased_until=0,
        error="",
        created_at=micros(at),
        updated_at=micros(at),
    )
    put(
        store,
        delivery_attempts,
        delivery_id=number,
        at=micros(at),
        error="",
        milliseconds=1,
        headers="{}",
        response="",
    )


def ids(store: SqlStore, table: Any) -> list[int]:
    with store.reader.connect() as db:
        return list(db.execute(select(table.c.id).order_by(table.c.id)).scalars())


def forget(store: SqlStore, kind: str, before: float, most: int = 100) -> int:
    return store.write(lambda unit: unit.retention.delete_oldest(kind, later(before), most))


def has_older(store: SqlStore, kind: str, before: float) -> bool:
    with store.read() as unit:
        return unit.retention.has_older(kind, later(before))


def test_ended_deliveries_are_deleted_with_their_attempts_and_open_ones_stay(
    store: SqlStore,
) -> None:
    for number, state in enumerate(("DELIVERED", "DUE", "FAILED", "WAITING", "DELIVERED"), 1):
        add_delivery(store, number, at=number, state=state)
    assert has_older(store, "deliveries", 2)
    assert not has_older(store, "deliveries", 1)
    assert forget(store, "deliveries", 5) == 2
    assert ids(store, deliveries) == [2, 4, 5]
    with store.reader.connect() as db:
        left = db.execute(select(delivery_attempts.c.delivery_id)).scalars()
        assert sorted(left) == [2, 4, 5]


def test_an_event_stays_until_it_was_fanned_out_and_has_no_deliveries(store: SqlStore) -> None:
    add_event(store, 1, at=1, position=1)
    add_event(store, 2, at=2, position=None)
    add_event(store, 3, at=3, position=3)
    add_event(store, 4, at=9, position=4)
    add_delivery(store, 1, at=1, state="DELIVERED", event=1)
    assert forget(store, "outbox", 5) == 1
    assert ids(store, outbox) == [1, 2, 4]
    forget(store, "deliveries", 5)
    assert forget(store, "outbox", 5) == 1
    assert ids(store, outbox) == [2, 4]


def test_the_newest_position_is_never_deleted(store: SqlStore) -> None:
    add_event(store, 1, at=1, position=1)
    add_event(store, 2, at=2, position=2)
    assert forget(store, "outbox", 5) == 1
    assert ids(store, outbox) == [2]


def test_provider_updates_are_deleted_by_age(store: SqlStore) -> None:
    for number in range(5):
        put(
            store,
            processed_updates,
            provider="FONBNK",
            update_id=f"r{number}",
            at=micros(number),
        )
    assert has_older(store, "provider_updates", 3)
    assert [forget(store, "provider_updates", 3, most=2) for _ in range(3)] == [2, 1, 0]
    with store.reader.connect() as db:
        assert db.execute(select(func.count()).select_from(processed_updates)).scalar() == 2


@pytest.mark.parametrize("kind", ["requests", "deliveries", "outbox", "provider_updates"])
def test_an_empty_table_has_nothing_old(store: SqlStore, kind: str) -> None:
    assert not has_older(store, kind, timedelta(days=999).total_seconds())
    assert forget(store, kind, timedelta(days=999).total_seconds()) == 0
