"""Deletion of old records: a few at a time, or with the partition that they are in."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    delete,
    exists,
    func,
    select,
    true,
    tuple_,
)

from crossway.storage.kept_rows import KEPT
from crossway.storage.partitions import (
    MAX_MOVED,
    add_partition,
    as_table,
    drop_partition,
    find_gaps,
    is_partitioned,
    list_partitions,
)
from crossway.storage.prepared import fetch
from crossway.storage.ramp_tables import kyc_erased_usage, processed_updates
from crossway.storage.row_mapper import to_micros
from crossway.storage.service_tables import request_log
from crossway.storage.webhook_tables import deliveries, delivery_attempts, outbox

_DAY: Final = 86_400_000_000
_OF_CLIENT: Final = outbox.alias()


def _is_fanned_out(events: Table) -> ColumnElement[bool]:
    # A client's newest position is never deleted: the next one follows it, and streams resume by
    # positions.
    newest = (
        select(func.max(_OF_CLIENT.c.position))
        .where(_OF_CLIENT.c.client_id == events.c.client_id)
        .correlate(events)
        .scalar_subquery()
    )
    return (events.c.position < newest) & ~exists().where(deliveries.c.event_id == events.c.id)


@dataclass(frozen=True)
class _Kind:
    """Records of a kind: their table, the column with the age, the order by age, and which may be
    deleted. Only the oldest are examined, so that a pass that deletes nothing is cheap."""

    table: Table
    age: str
    order: tuple[str, ...] = ("id",)
    may_go: Callable[[Table], ColumnElement[bool]] = lambda _: true()


_KINDS: Final = {
    "requests": _Kind(request_log, "at"),
    "deliveries": _Kind(
        deliveries, "updated_at", may_go=lambda part: part.c.state.not_in(("DUE", "WAITING"))
    ),
    "attempts": _Kind(
        delivery_attempts,
        "at",
        may_go=lambda part: ~exists().where(deliveries.c.id == part.c.delivery_id),
    ),
    "outbox": _Kind(outbox, "at", may_go=_is_fanned_out),
    "provider_updates": _Kind(processed_updates, "at", ("at", "provider", "update_id")),
    "erased_usage": _Kind(
        kyc_erased_usage,
        "month",
        ("month", *(c.name for c in kyc_erased_usage.primary_key if c.name != "month")),
    ),
}


@lru_cache(maxsize=32)
def _oldest(kind: str, part: Table) -> Select[int]:
    order = [part.c[name] for name in _KINDS[kind].order]
    return select(part.c[_KINDS[kind].age]).order_by(*order).limit(1)


class SqlRetention:
    """`ports.logs.RetentionRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def has_older(self, kind: str, before: datetime) -> bool:
        return any(self._has_older(kind, part, before) for part in self._deleted_from(kind))

    def delete_oldest(self, kind: str, before: datetime, limit: int) -> int:
        parts = list(self._deleted_from(kind))
        return sum(self._delete_oldest(kind, part, before, limit) for part in parts)

    def has_partitions(self, kind: str) -> bool:
        return is_partitioned(self._db, _KINDS[kind].table)

    def add_partitions(self, kind: str, now: datetime, width: timedelta) -> int:
        table = _KINDS[kind].table
        days = max(width // timedelta(days=1), 1) * _DAY
        today = to_micros(now) // _DAY * _DAY
        gaps = find_gaps(list_partitions(self._db, table), today, to_micros(now) + days, days)
        return sum(add_partition(self._db, table, start, end) for start, end in list(gaps))

    def drop_partition(self, kind: str, before: datetime) -> bool:
        table, cutoff = _KINDS[kind].table, to_micros(before)
        for part in list_partitions(self._db, table):
            if part.end is None or part.end > cutoff:
                continue
            query = KEPT[table.name](as_table(table, part.name), cutoff).limit(MAX_MOVED + 1)
            kept = list(self._db.execute(query).scalars())
            if len(kept) <= MAX_MOVED and drop_partition(self._db, table, part.name, kept):
                return True
        return False

    def _deleted_from(self, kind: str) -> Iterator[Table]:
        """The tables of which single records are deleted: not the partitions that are dropped, but
        the default one and that of before there were others."""
        table = _KINDS[kind].table
        if not is_partitioned(self._db, table):
            yield table
            return
        for part in list_partitions(self._db, table):
            if part.start is None:
                yield as_table(table, part.name)

    def _has_older(self, kind: str, part: Table, before: datetime) -> bool:
        oldest = fetch(self._db, _oldest(kind, part))
        return bool(oldest) and int(oldest[0][0]) < to_micros(before)

    def _delete_oldest(self, kind: str, part: Table, before: datetime, limit: int) -> int:
        names = [part.c[column.name] for column in _KINDS[kind].table.primary_key]
        order = [part.c[name] for name in _KINDS[kind].order]
        oldest = select(*names).order_by(*order).limit(limit).subquery()
        row_key = tuple_(*names) if len(names) > 1 else names[0]
        is_old = row_key.in_(select(*oldest.columns))
        deletable = (
            is_old,
            part.c[_KINDS[kind].age] < to_micros(before),
            _KINDS[kind].may_go(part),
        )
        if kind == "deliveries":
            attempts = delivery_attempts.c.delivery_id.in_(select(part.c.id).where(*deletable))
            self._db.execute(delete(delivery_attempts).where(attempts))
        return self._db.execute(delete(part).where(*deletable)).rowcount
