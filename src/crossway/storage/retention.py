"""Forgetting what is old, a few records at a time."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Table,
    delete,
    exists,
    func,
    select,
    true,
    tuple_,
)

from crossway.storage.network_tables import requests
from crossway.storage.ramp_tables import order_reports
from crossway.storage.rows import micros
from crossway.storage.webhook_tables import announcements, deliveries, delivery_attempts

_ENDED = deliveries.c.state.not_in(("DUE", "WAITING"))
# The newest place is never forgotten: the next one follows it, and streams resume by places.
_NEWEST = select(func.max(announcements.c.position)).scalar_subquery()
_TOLD = (announcements.c.position < _NEWEST) & ~exists().where(
    deliveries.c.announcement_id == announcements.c.id
)
# Of each kind: what says how old a record is, the order in which they grow old, and what must hold
# besides. Only the oldest are looked at, so that finding nothing costs nothing.
_KINDS: Final[dict[str, tuple[Column[int], tuple[Column[Any], ...], ColumnElement[bool]]]] = {
    "requests": (requests.c.at, (requests.c.id,), true()),
    "deliveries": (deliveries.c.updated_at, (deliveries.c.id,), _ENDED),
    "announcements": (announcements.c.at, (announcements.c.id,), _TOLD),
    "order_reports": (
        order_reports.c.at,
        (order_reports.c.at, order_reports.c.provider, order_reports.c.report_id),
        true(),
    ),
}


class Retention:
    """`ports.logs.RetentionRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def has_older(self, kind: str, before: datetime) -> bool:
        age, order, _ = _KINDS[kind]
        oldest = self._db.execute(select(age).order_by(*order).limit(1)).scalar()
        return oldest is not None and int(oldest) < micros(before)

    def forget(self, kind: str, before: datetime, most: int) -> int:
        age, order, besides = _KINDS[kind]
        table = _table_of(age)
        names = list(table.primary_key.columns)
        oldest = select(*names).order_by(*order).limit(most).subquery()
        is_old = (
            tuple_(*names).in_(select(*oldest.columns)) if len(names) > 1
            else names[0].in_(select(*oldest.columns))
        )  # fmt: skip
        gone = (is_old, age < micros(before), besides)
        if table is deliveries:
            of_them = select(deliveries.c.id).where(*gone)
            tries = delivery_attempts.c.delivery_id.in_(of_them)
            self._db.execute(delete(delivery_attempts).where(tries))
        return self._db.execute(delete(table).where(*gone)).rowcount


def _table_of(column: Column[int]) -> Table:
    table = column.table
    assert isinstance(table, Table)
    return table
