"""Deletion of old records, a few at a time."""

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

from crossway.storage.prepared import fetch
from crossway.storage.ramp_tables import kyc_erased_usage, processed_updates
from crossway.storage.row_mapper import to_micros
from crossway.storage.service_tables import request_log
from crossway.storage.webhook_tables import deliveries, delivery_attempts, outbox

_ENDED_DELIVERY = deliveries.c.state.not_in(("DUE", "WAITING"))
# A client's newest position is never deleted: the next one follows it, and streams resume by
# positions.
_OF_CLIENT = outbox.alias()
_NEWEST = (
    select(func.max(_OF_CLIENT.c.position))
    .where(_OF_CLIENT.c.client_id == outbox.c.client_id)
    .correlate(outbox)
    .scalar_subquery()
)
_DELETABLE_EVENT = (outbox.c.position < _NEWEST) & ~exists().where(
    deliveries.c.event_id == outbox.c.id
)
# By kind: the column with the age, the order by age, and a further condition. Only the oldest
# records are examined, so a pass that deletes nothing is cheap.
_KINDS: Final[dict[str, tuple[Column[int], tuple[Column[Any], ...], ColumnElement[bool]]]] = {
    "requests": (request_log.c.at, (request_log.c.id,), true()),
    "deliveries": (deliveries.c.updated_at, (deliveries.c.id,), _ENDED_DELIVERY),
    "outbox": (outbox.c.at, (outbox.c.id,), _DELETABLE_EVENT),
    "provider_updates": (
        processed_updates.c.at,
        (processed_updates.c.at, processed_updates.c.provider, processed_updates.c.update_id),
        true(),
    ),
    "erased_usage": (
        kyc_erased_usage.c.month,
        (kyc_erased_usage.c.month, *(c for c in kyc_erased_usage.primary_key if c.name != "month")),
        true(),
    ),
}
_OLDEST: Final = {
    kind: select(age).order_by(*order).limit(1) for kind, (age, order, _) in _KINDS.items()
}


class SqlRetention:
    """`ports.logs.RetentionRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def has_older(self, kind: str, before: datetime) -> bool:
        oldest = fetch(self._db, _OLDEST[kind])
        return bool(oldest) and int(oldest[0][0]) < to_micros(before)

    def delete_oldest(self, kind: str, before: datetime, limit: int) -> int:
        age, order, condition = _KINDS[kind]
        table = _table_of(age)
        names = list(table.primary_key.columns)
        oldest = select(*names).order_by(*order).limit(limit).subquery()
        row_key = tuple_(*names) if len(names) > 1 else names[0]
        is_old = row_key.in_(select(*oldest.columns))
        deletable = (is_old, age < to_micros(before), condition)
        if table is deliveries:
            delivery_ids = select(deliveries.c.id).where(*deletable)
            attempts = delivery_attempts.c.delivery_id.in_(delivery_ids)
            self._db.execute(delete(delivery_attempts).where(attempts))
        return self._db.execute(delete(table).where(*deletable)).rowcount


def _table_of(column: Column[int]) -> Table:
    table = column.table
    assert isinstance(table, Table)
    return table
