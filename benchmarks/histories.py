"""Databases with a long history, for benchmarks: payments with all that hangs on them.

Rows are inserted by SQL as the product writes them, on SQLite and PostgreSQL. The history always
spans the same days and ends with as many open payments, whatever its size, and the sums by hour and
day have as many rows: what grows is the number of payments, orders, events and deliveries.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, text

from benchmarks.history_rows import (
    AROUND,
    CORRIDOR_STATS,
    GROUP_FIGURES,
    GROUPS,
    INTENT,
    ORDER,
    PERIODS,
    SMALL_SHOP,
    SPAN_MICROS,
    WEBHOOK,
    WEBHOOKS,
)
from benchmarks.worlds import caller, payment
from crossway.bootstrap import Service
from crossway.domain.clients import Principal
from crossway.storage.intent_rows import intent_row
from crossway.storage.order_rows import ORDERS
from tests.storage.ramp_records import an_order

_SLICE = 100_000
_NUMBERS = (
    "WITH RECURSIVE numbers(n) AS "
    "(SELECT CAST(:low AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < :high)"
)
_EMPTIED = ("transitions", "outbox", "metadata_values", "intent_counts", "intents")
_COUNTS = (
    "INSERT INTO {0}_counts (client_id, mode, state, total) "
    "SELECT client_id, mode, state, count(*) FROM {0}s GROUP BY client_id, mode, state"
)


@dataclass(frozen=True, slots=True)
class History:
    """A service with so many payments; `big` is a client that has most of them, `small` one that
    has one in 500."""

    built: Service
    size: int
    big: Principal
    small: Principal


def add_history(built: Service, size: int) -> History:
    """Fill an empty database."""
    big = caller(built)
    small = replace(big, client=replace(big.client, id=SMALL_SHOP, name="Small shop"))
    built.store.write(lambda unit: unit.api_keys.add_client(small.client))
    model = intent_row(payment(built, big))
    # What a payment writes when it is created is of no use here.
    with built.store.writer.begin() as db:
        for name in _EMPTIED:
            db.execute(text(f"DELETE FROM {name}"))
        values = {"size": size, "oldest": model["created_at"] - SPAN_MICROS, "big": big.client.id}
        with _without_indexes(db):
            _fill(db, "intents", model, INTENT, values)
            for name, own in AROUND.items():
                _fill(db, name, {}, own, values)
            order = ORDERS.encode_new(an_order(), str)
            _fill(db, "orders", order, ORDER, {**values, "size": size // 5})
            _fill(db, "webhooks", {"secret": b""}, WEBHOOK, {**values, "rows": WEBHOOKS})
        _add_sums(db, values)
        for name in ("intent", "order"):
            db.execute(text(_COUNTS.format(name)))
    _analyze(built)
    return History(built, size, big, small)


def _add_sums(db: Connection, values: Mapping[str, Any]) -> None:
    for span, count in PERIODS.items():
        first = (values["oldest"] + SPAN_MICROS) // (SPAN_MICROS // count) - count
        given = {**values, "span": span, "first": first, "rows": count * GROUPS}
        _fill(db, "corridor_stats", {}, CORRIDOR_STATS, given)
        _fill(db, "group_figures", {}, GROUP_FIGURES, given)


def _fill(
    db: Connection,
    table: str,
    model: Mapping[str, Any],
    own: Mapping[str, str],
    values: Mapping[str, Any],
) -> None:
    """Insert rows slice by slice: the columns of a model, and those that have SQL of their own."""
    shared = {name: of for name, of in model.items() if of is not None and name not in own}
    names = ", ".join(f'"{name}"' for name in (*shared, *own))
    columns = ", ".join((*(f":{name}" for name in shared), *own.values()))
    statement = text(f"INSERT INTO {table} ({names}) {_NUMBERS} SELECT {columns} FROM numbers")
    used, rows = set(statement.compile().params), values.get("rows", values["size"])
    for low in range(1, rows + 1, _SLICE):
        span = {"low": low, "high": min(low + _SLICE - 1, rows)}
        given = {**shared, **values, **span}
        db.execute(statement, {name: given[name] for name in used})


@contextmanager
def _without_indexes(db: Connection) -> Iterator[None]:
    """Build the indexes after the block, sorted, which takes a fraction of the time."""
    sqlite = db.dialect.name == "sqlite"
    found = db.execute(
        text(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
            if sqlite
            else "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND "
            "indexname NOT IN (SELECT conname FROM pg_constraint)"
        )
    ).all()
    for name, _ in found:
        db.execute(text(f'DROP INDEX "{name}"'))
    yield
    for _, statement in found:
        db.exec_driver_sql(statement)


def _analyze(built: Service) -> None:
    """PostgreSQL keeps statistics by itself, but not at once."""
    if built.store.writer.dialect.name == "postgresql":
        with built.store.writer.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
            db.execute(text("VACUUM ANALYZE"))
