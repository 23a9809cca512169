"""Which rows of a partition stay when it is dropped: what retention would not delete.

As sets, which PostgreSQL compares at once: a partition has millions of rows.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlalchemy import Select, Table, exists, func, or_, select, union

from crossway.storage.webhook_tables import deliveries, delivery_attempts, outbox

_CLOCKS_DIFFER: Final = 86_400_000_000  # microseconds


def _kept_deliveries(part: Table, cutoff: int) -> Select[Any]:
    is_open = part.c.state.in_(("DUE", "WAITING"))
    return select(part.c.id).where(or_(is_open, part.c.updated_at >= cutoff))


def _kept_attempts(part: Table, cutoff: int) -> Select[Any]:
    # An attempt follows its delivery, so that newer partitions need no look; but clocks differ.
    delivery = exists().where(
        deliveries.c.id == part.c.delivery_id, deliveries.c.created_at < cutoff + _CLOCKS_DIFFER
    )
    return select(part.c.id).where(delivery)


def _kept_events(part: Table, _: int) -> Select[Any]:
    first, last = (select(edge(part.c.id)).scalar_subquery() for edge in (func.min, func.max))
    delivered = select(deliveries.c.event_id).where(deliveries.c.event_id.between(first, last))
    newest = select(part.c.client_id, func.max(part.c.position).label("position"))
    ends = newest.group_by(part.c.client_id).subquery()
    later = exists().where(
        outbox.c.client_id == ends.c.client_id, outbox.c.position > ends.c.position
    )
    of_client = (part.c.client_id == ends.c.client_id, part.c.position == ends.c.position)
    kept = union(
        select(part.c.id).where(part.c.position.is_(None)),
        select(part.c.id).where(part.c.id.in_(delivered)),
        select(part.c.id).select_from(part.join(ends, of_client[0] & of_client[1])).where(~later),
    ).subquery()
    return select(kept.c.id)


# By table: the ids of the rows to keep of a partition whose times are before a cutoff.
KEPT: Final[Mapping[str, Callable[[Table, int], Select[Any]]]] = {
    outbox.name: _kept_events,
    deliveries.name: _kept_deliveries,
    delivery_attempts.name: _kept_attempts,
}
