"""Lists of ramp orders and deliveries: from either end, and within a period, by their indexes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection, event

from crossway.ports.ramp_repository import OrderFilter
from crossway.ports.webhook_repository import DeliveryFilter, NewDelivery
from crossway.storage.deliveries import SqlDeliveries
from crossway.storage.orders import SqlOrders
from crossway.storage.store import SqlStore
from tests.storage.ramp_records import store_order
from tests.storage.records import later, store_intent
from tests.storage.test_webhooks import add_event, endpoint

# Creation does not follow the numbers: clocks of two machines differ.
SECONDS = (0, 30, 20, 10, 50, 40)
Listed = Callable[..., list[int]]


def list_orders(store: SqlStore) -> tuple[list[int], Listed]:
    ids = [store_order(store, created_at=later(second)).id for second in SECONDS]

    def listed(limit: int = 10, **filters: Any) -> list[int]:
        with store.read() as unit:
            return [one.id for one in unit.orders.list_page(OrderFilter(**filters), limit)]

    return ids, listed


def list_deliveries(store: SqlStore) -> tuple[list[int], Listed]:
    own, other = endpoint(store), endpoint(store)
    store_intent(store)
    received = add_event(store)[0]
    new = [
        NewDelivery(to.id, received.id, "", later(second))
        for second in SECONDS
        for to in (own, other)
    ]
    store.write(lambda unit: unit.deliveries.add_many(new))

    def listed(limit: int = 10, **filters: Any) -> list[int]:
        of_own = DeliveryFilter(webhook_id=own.id, **filters)
        with store.read() as unit:
            return [one.id for one, _ in unit.deliveries.list_page(of_own, limit)]

    return sorted(listed()), listed


@pytest.mark.parametrize("make", [list_orders, list_deliveries])
def test_a_list_is_read_from_either_end_and_within_a_period(
    store: SqlStore, make: Callable[[SqlStore], tuple[list[int], Listed]]
) -> None:
    ids, listed = make(store)
    assert listed() == ids[::-1]
    assert listed(oldest_first=True) == ids
    assert listed(2, before_id=ids[3]) == [ids[2], ids[1]]
    assert listed(2, after_id=ids[3], oldest_first=True) == [ids[4], ids[5]]
    period: dict[str, Any] = {"start": later(10), "end": later(40)}
    by_time = [ids[at] for at in (3, 2, 1)]
    assert listed(**period) == by_time[::-1]
    assert listed(**period, oldest_first=True) == by_time
    assert listed(**period, before_id=ids[2]) == [ids[3]]
    assert listed(**period, after_id=ids[2], oldest_first=True) == [ids[1]]
    assert listed(start=later(40)) == [ids[4], ids[5]]
    assert listed(end=later(10)) == [ids[0]]
    assert listed(start=later(60)) == []
    # An export reads it by number.
    within = [ids[at] for at, second in enumerate(SECONDS) if 10 <= second < 40]
    assert listed(**period, by_number=True) == within[::-1]
    assert listed(**period, by_number=True, oldest_first=True) == within
    assert listed(**period, by_number=True, before_id=ids[2]) == [ids[1]]


_PARTS_OF_INDEXES = (
    "SELECT part.relname, whole.relname FROM pg_inherits JOIN pg_class AS part ON "
    "part.oid = inhrelid JOIN pg_class AS whole ON whole.oid = inhparent WHERE part.relkind = 'i'"
)


def _plan(db: Connection, statement: str, values: Any, kind: str) -> str:
    if kind == "sqlite":
        rows = db.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
        return "\n".join(row[3] for row in rows)
    # Its estimates of an empty table say nothing.
    for other in ("seqscan", "bitmapscan", "sort"):
        db.exec_driver_sql(f"SET LOCAL enable_{other} = off")
    plan = "\n".join(row[0] for row in db.exec_driver_sql(f"EXPLAIN {statement}", values))
    # A partition's index is named by itself, and belongs to that of the table.
    for own, of_table in db.exec_driver_sql(_PARTS_OF_INDEXES):
        plan = plan.replace(f" {own} ", f" {of_table} ")
    return plan


def test_a_period_is_found_by_its_index_and_nothing_is_sorted(store: SqlStore, kind: str) -> None:
    period: dict[str, Any] = {"start": later(10), "end": later(40)}
    orders, own = OrderFilter(mode="test", **period), DeliveryFilter(webhook_id=1, **period)
    numbered = {"by_number": True}
    cases: list[tuple[str, int, Callable[[Connection], Any]]] = [
        ("orders_by_creation", 1, lambda db: SqlOrders(db).list_page(orders, 26)),
        (
            "orders_by_creation",
            1,
            lambda db: SqlOrders(db).list_page(replace(orders, oldest_first=True), 26),
        ),
        (
            "orders_by_creation",
            1,
            lambda db: SqlOrders(db).list_page(replace(orders, before_id=9), 26),
        ),
        (
            "orders_by_creation",
            2,
            lambda db: SqlOrders(db).list_page(replace(orders, **numbered), 26),
        ),
        ("deliveries_by_creation", 1, lambda db: SqlDeliveries(db).list_page(own, 26)),
        (
            "deliveries_by_creation",
            2,
            lambda db: SqlDeliveries(db).list_page(replace(own, **numbered), 26),
        ),
    ]
    for index, count, work in cases:
        said: list[tuple[str, Any]] = []
        with store.reader.connect() as db:
            event.listen(db, "before_cursor_execute", lambda *seen, to=said: to.append(seen[2:4]))
            work(db)
            listing = next(one for one in said if "ORDER BY" in one[0])
            plan = _plan(db, *listing, kind)
        assert plan.count(index) == count, plan
        assert "SCAN" not in plan.replace("SCAN CONSTANT ROW", ""), plan
        assert "TEMP B-TREE" not in plan, plan
        assert "Sort" not in plan, plan
