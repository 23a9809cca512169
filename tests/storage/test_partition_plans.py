"""Statements look into the partitions of the times they are about, and into others by index."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import pytest
from sqlalchemy import Engine

from crossway.domain.clients import Mode, Owner, OwnerFilter
from crossway.domain.webhooks import DeliveryState
from crossway.ports.webhook_repository import DeliveryFilter
from crossway.storage.store import SqlStore, open_store
from tests.databases import new_postgres
from tests.statements import postgres_plans
from tests.storage.records import NOW, VAULT, a_client, later, store_intent
from tests.storage.test_partitions import DAY, add
from tests.storage.test_retention import add_delivery, add_event

OWNER: Final = Owner("c-1", Mode.TEST)
WEEKS: Final = 36
Work = Callable[[Any], object]


@pytest.fixture(scope="module")
def divided(postgres_url: str) -> Iterator[SqlStore]:
    """A store with 36 weeks, and an event and a delivery in each of the last ones."""
    with new_postgres(postgres_url) as url, closing(open_store(url)) as store:
        store.unlock(VAULT)
        store.write(lambda unit: unit.api_keys.add_client(a_client()))
        for table in ("outbox", "deliveries", "attempts"):
            for week in range(WEEKS):
                add(store, table, week * 7)
        for week in range(WEEKS - 3, WEEKS):
            add_event(store, week, week * 7 * DAY, position=week)
            add_delivery(store, week, week * 7 * DAY, "DUE", event=week)
        yield store


def partitions(plan: str) -> set[str]:
    """The partitions that a plan looks into."""
    return set(re.findall(r"(?:outbox|deliveries|delivery_attempts)_(?:\d{8}|default)\b", plan))


def plans(engine: Engine, store: SqlStore, work: Work, table: str) -> list[str]:
    """The plans of the statements that look into a table."""

    def ask() -> None:
        if engine is store.writer:
            store.write(work)
            return
        with store.read() as unit:
            work(unit)

    found = postgres_plans(engine, ask)
    return [plan for plan in found if any(p.startswith(table) for p in partitions(plan))]


READS: Final[dict[str, tuple[str, Work]]] = {
    "events without a position": ("outbox", lambda unit: unit.outbox.list_unsequenced(50)),
    "events by number": ("outbox", lambda unit: unit.outbox.get_many([34, 35])),
    "an event by its id": ("outbox", lambda unit: unit.outbox.get_position(OWNER, "evt_35")),
    "newest positions": ("outbox", lambda unit: unit.outbox.last_positions(["c-1", "c-2"])),
    "events behind a position": (
        "outbox",
        lambda unit: unit.outbox.list_after(33, OWNER, 99, 50),
    ),
    "a delivery by number": ("deliveries", lambda unit: unit.deliveries.get(35)),
    "due webhooks": (
        "deliveries",
        lambda unit: unit.deliveries.list_due_endpoints(later(1), later(1)),
    ),
    "when something is due": ("deliveries", lambda unit: unit.due_times.of_deliveries()),
    "a webhook's deliveries": (
        "deliveries",
        lambda unit: unit.deliveries.list_page(DeliveryFilter(webhook_id=1), 50),
    ),
    "deliveries of payments": (
        "deliveries",
        lambda unit: unit.deliveries.list_newest_of_intents(OwnerFilter(), [1], 3),
    ),
    "events of payments": (
        "outbox",
        lambda unit: unit.deliveries.list_newest_of_intents(OwnerFilter(), [1], 3),
    ),
    "attempts of a delivery": (
        "delivery_attempts",
        lambda unit: unit.deliveries.list_attempts(35),
    ),
    "open deliveries of an event": (
        "deliveries",
        lambda unit: unit.deliveries.find_open(1, 35),
    ),
}


@pytest.mark.parametrize("name", READS)
def test_no_partition_is_read_from_end_to_end(divided: SqlStore, name: str) -> None:
    table, work = READS[name]
    found = plans(divided.reader, divided, work, table)
    assert found
    assert not [plan for plan in found if "Seq Scan on" in plan.replace("Seq Scan on webhooks", "")]


@pytest.mark.parametrize(
    ("table", "work", "most"),
    [
        # A week with the next, as the day before and the day behind are looked into.
        ("outbox", lambda unit: unit.outbox.get_many([35], [later(35 * 7 * DAY)]), 3),
        (
            "outbox",
            lambda unit: unit.outbox.list_between(
                OWNER, later(34 * 7 * DAY), later(34 * 7 * DAY + 60), 50
            ),
            2,
        ),
        (
            "deliveries",
            lambda unit: unit.deliveries.list_page(
                DeliveryFilter(webhook_id=1, start=later(35 * 7 * DAY), end=later(35.5 * 7 * DAY)),
                50,
            ),
            3,
        ),
    ],
    ids=["events of then", "events of a minute", "deliveries of days"],
)
def test_a_time_says_where_to_look(divided: SqlStore, table: str, work: Work, most: int) -> None:
    found = plans(divided.reader, divided, work, table)
    assert found
    assert max(len(partitions(plan)) for plan in found) <= most


def test_an_event_gets_its_position_in_its_partition_alone(divided: SqlStore) -> None:
    intent = store_intent(divided)
    with divided.read() as unit:
        events = unit.outbox.list_unsequenced(9)
    assert {event.resource_id for event in events} == {intent.id}
    found = plans(
        divided.writer, divided, lambda unit: unit.outbox.assign_positions(events), "outbox"
    )
    [updated] = [plan for plan in found if plan.startswith("Update on outbox")]
    assert len(partitions(updated)) == 1


def test_a_delivery_is_settled_in_its_partition_alone(divided: SqlStore) -> None:
    with divided.read() as unit:
        delivery = unit.deliveries.get(35)
    assert delivery is not None
    ended = replace(delivery, state=DeliveryState.DELIVERED, updated_at=NOW + timedelta(days=300))
    found = plans(
        divided.writer,
        divided,
        lambda unit: unit.deliveries.save_results([ended], []),
        "deliveries",
    )
    [updated] = [plan for plan in found if plan.startswith("Update on deliveries")]
    assert len(partitions(updated)) == 1


def test_leased_deliveries_are_found_in_the_partitions_of_their_times(divided: SqlStore) -> None:
    with divided.read() as unit:
        delivery = unit.deliveries.get(35)
    assert delivery is not None
    found = plans(
        divided.writer, divided, lambda unit: unit.deliveries.lock_due([delivery]), "deliveries"
    )
    assert [len(partitions(plan)) for plan in found] == [1]


def test_an_event_is_stored_in_one_partition(divided: SqlStore) -> None:
    with divided.read() as unit:
        [event] = unit.outbox.get_many([35]).values()
    again = replace(event, event_id="evt_again", position=None)
    work: Work = lambda unit: unit.outbox.add(again)  # noqa: E731
    found = postgres_plans(divided.writer, lambda: divided.write(work))
    assert found[-1].startswith("Insert on outbox")
    assert not partitions(found[-1])
