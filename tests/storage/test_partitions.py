"""On PostgreSQL, events and deliveries are kept in partitions by time, which come and go."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, select, text
from sqlalchemy.exc import IntegrityError

from crossway.storage.partitions import MAX_MOVED, Partition, find_gaps, list_partitions
from crossway.storage.store import SqlStore
from crossway.storage.webhook_tables import deliveries, delivery_attempts, outbox
from tests.storage.records import NOW, later
from tests.storage.test_retention import add_delivery, add_event, ids

DAY = 86_400
WEEK = timedelta(days=7)
KINDS = {"outbox": outbox, "deliveries": deliveries, "attempts": delivery_attempts}


@pytest.fixture
def kind() -> str:
    """SQLite has no partitions."""
    return "postgresql"


def add(store: SqlStore, kind: str, days: float, width: timedelta = WEEK) -> int:
    at = later(days * DAY)
    return store.write(lambda unit: unit.retention.add_partitions(kind, at, width))


def drop(store: SqlStore, kind: str, days: float) -> int:
    """Drop all that is older; returns how many."""
    dropped = 0
    while store.write(lambda unit: unit.retention.drop_partition(kind, later(days * DAY))):
        dropped += 1
    return dropped


def parts(store: SqlStore, kind: str) -> list[Partition]:
    with store.reader.connect() as db:
        return list_partitions(db, KINDS[kind])


def spans(store: SqlStore, kind: str) -> list[tuple[float, float]]:
    """The first and the last day of each partition, counted from today."""
    today = int(NOW.timestamp()) // DAY * DAY
    return [
        (part.start / 1e6 / DAY - today / DAY, part.end / 1e6 / DAY - today / DAY)
        for part in parts(store, kind)
        if part.start is not None and part.end is not None
    ]


def places(store: SqlStore, table: Any) -> dict[int, str]:
    """By id, the partition that a row is in."""
    with store.reader.connect() as db:
        rows = db.execute(text(f"SELECT id, tableoid::regclass::text FROM {table.name}"))
        return {row[0]: row[1] for row in rows}


@contextmanager
def busy(store: SqlStore, table: Any) -> Iterator[Connection]:
    """Somebody whose transaction has read the table."""
    with store.reader.connect() as db:
        db.execute(select(table)).all()
        yield db


def test_partitions_are_made_ahead_and_only_once(store: SqlStore) -> None:
    assert add(store, "outbox", 0) == 2
    assert spans(store, "outbox") == [(0, 7), (7, 14)]
    assert add(store, "outbox", 6) == 0
    assert add(store, "outbox", 7) == 1
    assert spans(store, "outbox")[-1] == (14, 21)


def test_a_clock_that_jumps_leaves_no_gap_when_it_is_set_back(store: SqlStore) -> None:
    add(store, "outbox", 0)
    add(store, "outbox", 1_000)
    assert add(store, "outbox", 8) == 1
    assert add(store, "outbox", 990) == 2
    assert spans(store, "outbox") == [
        (0, 7), (7, 14), (14, 21), (990, 997), (997, 1000), (1000, 1007), (1007, 1014)
    ]  # fmt: skip
    add(store, "outbox", -3)
    assert spans(store, "outbox")[0] == (-3, 0)


def test_another_width_begins_where_the_last_partition_ends(store: SqlStore) -> None:
    add(store, "outbox", 0)
    add(store, "outbox", 3, width=timedelta(days=20))
    assert spans(store, "outbox") == [(0, 7), (7, 14), (14, 34)]


def test_gaps_between_partitions_are_found_in_whole_widths_or_up_to_the_next() -> None:
    there = [Partition("a", None, 5), Partition("b", 8, 12), Partition("rest", None, None)]
    assert list(find_gaps(there, 3, 30, 10)) == [(5, 8), (12, 22), (22, 32)]


def test_an_event_of_any_time_finds_a_place(store: SqlStore) -> None:
    add(store, "outbox", 0)
    for number, days in enumerate((-9_000, -1, 0, 8, 14, 90_000), 1):
        add_event(store, number, days * DAY, position=number)
    first, second = (part.name for part in parts(store, "outbox")[:2])
    assert places(store, outbox) == {
        1: "outbox_default", 2: "outbox_default", 3: first, 4: second,
        5: "outbox_default", 6: "outbox_default",
    }  # fmt: skip


def test_rows_of_the_default_partition_go_where_they_belong(store: SqlStore) -> None:
    add_event(store, 1, 1, position=1)
    add_event(store, 2, 20 * DAY, position=2)
    assert add(store, "outbox", 0) == 2
    assert places(store, outbox) == {1: parts(store, "outbox")[0].name, 2: "outbox_default"}


@pytest.mark.parametrize(
    "same", [{"event_id": "evt_1"}, {"client_id": "c-1", "position": 1}], ids=["id", "position"]
)
def test_what_is_unique_is_so_in_a_partition(store: SqlStore, same: dict[str, Any]) -> None:
    add(store, "outbox", 0)
    add_event(store, 1, 1, position=1)
    add_event(store, 2, 2, position=2)
    with pytest.raises(IntegrityError), store.writer.begin() as db:
        db.execute(outbox.update().where(outbox.c.id == 2).values(**same))


def test_old_events_go_with_their_partition_and_what_is_needed_stays(store: SqlStore) -> None:
    add(store, "outbox", 0)
    for number in range(1, 6):
        add_event(store, number, number, position=number)
    add_event(store, 6, 6, position=None)
    add_delivery(store, 1, at=9 * DAY, state="DELIVERED", event=2)
    assert drop(store, "outbox", 6) == 0
    assert drop(store, "outbox", 8) == 1
    # One has a delivery, one is the newest of its client, and one is not fanned out.
    assert places(store, outbox) == dict.fromkeys((2, 5, 6), "outbox_default")
    add_event(store, 7, 8 * DAY, position=7)
    assert ids(store, outbox) == [2, 5, 6, 7]


def test_what_stayed_is_deleted_once_nothing_needs_it(store: SqlStore) -> None:
    add(store, "outbox", 0)
    add_event(store, 1, 1, position=1)
    drop(store, "outbox", 8)
    add_event(store, 2, 8 * DAY, position=2)
    with store.read() as unit:
        assert unit.retention.has_older("outbox", later(8 * DAY))
    assert store.write(lambda unit: unit.retention.delete_oldest("outbox", later(8 * DAY), 9)) == 1
    assert ids(store, outbox) == [2]


def test_single_events_are_not_deleted_out_of_a_partition(store: SqlStore) -> None:
    add(store, "outbox", 0)
    for number in (1, 2, 3):
        add_event(store, number, number, position=number)
    with store.read() as unit:
        assert not unit.retention.has_older("outbox", later(9))
    assert store.write(lambda unit: unit.retention.delete_oldest("outbox", later(9), 9)) == 0


def test_deliveries_go_with_their_attempts_but_for_the_open_and_the_recent(store: SqlStore) -> None:
    for kind in ("deliveries", "attempts"):
        add(store, kind, 0)
    for number, state in enumerate(("DELIVERED", "DUE", "FAILED", "WAITING", "DELIVERED"), 1):
        add_delivery(store, number, at=number, state=state)
    with store.writer.begin() as db:
        ended = deliveries.update().where(deliveries.c.id == 5)
        db.execute(ended.values(updated_at=int(later(8 * DAY).timestamp() * 1e6)))
    assert drop(store, "deliveries", 8) == 1
    assert places(store, deliveries) == dict.fromkeys((2, 4, 5), "deliveries_default")
    assert drop(store, "attempts", 8) == 1
    with store.reader.connect() as db:
        left = db.execute(select(delivery_attempts.c.delivery_id)).scalars()
        assert sorted(left) == [2, 4, 5]


def test_attempts_whose_delivery_is_gone_are_deleted_from_the_default_partition(
    store: SqlStore,
) -> None:
    add(store, "deliveries", 0)
    add_delivery(store, 1, at=1, state="DELIVERED")
    add_delivery(store, 2, at=2, state="DUE")
    drop(store, "deliveries", 8)
    work = later(8 * DAY)
    assert store.write(lambda unit: unit.retention.delete_oldest("attempts", work, 9)) == 1
    with store.reader.connect() as db:
        assert list(db.execute(select(delivery_attempts.c.delivery_id)).scalars()) == [2]


def add_events_of_a_minute(store: SqlStore, count: int, position: str) -> None:
    """Events of today, by SQL."""
    at = int(later(1).timestamp() * 1e6)
    rows = text(
        "INSERT INTO outbox (event_id, client_id, type, kind, resource_id, at, snapshot, mode, "
        f"position) SELECT 'evt_' || g, 'c-1', '', 'intent', g, {at}, '', 'test', {position} "
        f"FROM generate_series(1, {count}) g"
    )
    with store.writer.begin() as db:
        db.execute(rows)


def test_what_would_be_too_much_to_move_stays_in_the_default_partition(store: SqlStore) -> None:
    add_events_of_a_minute(store, MAX_MOVED + 1, position="g")
    assert add(store, "outbox", 0) == 1
    assert spans(store, "outbox") == [(7, 14)]
    assert set(places(store, outbox).values()) == {"outbox_default"}


def test_a_partition_of_which_too_much_is_needed_waits_and_others_do_not(store: SqlStore) -> None:
    add(store, "outbox", 0)
    add_events_of_a_minute(store, MAX_MOVED + 1, position="NULL")
    assert drop(store, "outbox", 15) == 1
    assert spans(store, "outbox") == [(0, 7)]
    with store.writer.begin() as db:
        db.execute(text("UPDATE outbox SET position = id"))
    assert drop(store, "outbox", 15) == 1
    assert list(places(store, outbox).values()) == ["outbox_default"]


def test_nobody_is_waited_for_who_works_on_the_table_for_long(store: SqlStore) -> None:
    add_event(store, 1, 1, position=1)
    with busy(store, outbox):
        assert add(store, "outbox", 0) == 0
    assert add(store, "outbox", 0) == 2
    with busy(store, outbox):
        assert drop(store, "outbox", 8) == 0
    assert drop(store, "outbox", 8) == 1
    assert ids(store, outbox) == [1]


def test_a_reader_goes_on_from_an_event_whose_partition_was_dropped(store: SqlStore) -> None:
    add(store, "outbox", 0)
    for number in (1, 2):
        add_event(store, number, number, position=number)
    drop(store, "outbox", 8)
    add_event(store, 3, 8 * DAY, position=None)
    with store.read() as unit:
        (new,) = unit.outbox.list_unsequenced(9)
    store.write(lambda unit: unit.outbox.assign_positions([new]))
    with store.read() as unit:
        assert unit.outbox.last_positions(["c-1"]) == {"c-1": 3}
    with store.reader.connect() as db:
        assert list(db.execute(select(outbox.c.position).order_by(outbox.c.id)).scalars()) == [2, 3]
