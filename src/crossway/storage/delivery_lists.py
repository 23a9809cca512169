"""Which deliveries a page lists: of one webhook, of the few of an owner, or of all."""

from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, select, text, union_all

from crossway.domain.webhooks import DeliveryState
from crossway.ports.webhook_repository import DeliveryFilter
from crossway.sql.in_values import in_values
from crossway.storage.creation_sql import behind, created_between, created_within, sort
from crossway.storage.owner_sql import is_owned
from crossway.storage.webhook_tables import deliveries, outbox, webhooks

_c = deliveries.c
# The lists of so many webhooks are merged; of more, the list of all is read.
_FEW: Final = 50
# Literals, so that the planner uses the partial indexes.
_OPEN, _FAILED = "deliveries.state IN ('DUE', 'WAITING')", "deliveries.state = 'FAILED'"
_PARTIAL: Final = {
    DeliveryState.DUE: _OPEN,
    DeliveryState.WAITING: _OPEN,
    DeliveryState.FAILED: _FAILED,
}
_ARE_OPEN: Final = {DeliveryState.DUE, DeliveryState.WAITING}


def list_delivery_ids(db: Connection, filter: DeliveryFilter, limit: int) -> dict[int, int]:
    """The ids of a page with the times of their creation in microseconds, in the order of the
    filter. Within a period, the newest and the oldest are those by the time of creation."""
    place = filter.after_id if filter.oldest_first else filter.before_id
    order: list[Any] = [_c.id.asc() if filter.oldest_first else _c.id.desc()]
    conditions = _conditions(filter)
    if filter.by_time:
        order = sort(_c.id, _c.created_at, filter.oldest_first)
        conditions.append(behind(_c.id, _c.created_at, place, filter.oldest_first))
    elif filter.states and set(filter.states) <= _ARE_OPEN:
        # The few open ones are sorted, instead of reading all that are not: by a sum, and with a
        # condition that all meet, for which the planner takes their index.
        conditions.append(_c.sequence_key >= "")
        order = [(_c.id + 0).asc() if filter.oldest_first else (_c.id + 0).desc()]
    if not filter.by_time and place is not None:
        conditions.append(_c.id > place if filter.oldest_first else _c.id < place)
    page = select(_c.id, _c.created_at).where(*conditions).order_by(*order).limit(limit)
    rows = db.execute(_of_webhooks(db, filter, page, limit))
    return {row.id: row.created_at for row in rows}


def _of_webhooks(
    db: Connection, filter: DeliveryFilter, page: Select[Any], limit: int
) -> Select[Any]:
    """The page of the webhooks of the filter."""
    if filter.webhook_id is not None:
        return page.where(_c.webhook_id == filter.webhook_id)
    owned = is_owned(webhooks, filter)
    query = select(webhooks.c.id).where(*owned).order_by(webhooks.c.id).limit(_FEW + 1)
    ids = list(db.execute(query).scalars())
    if len(ids) > _FEW:
        # As a sum, so that the index of webhooks is not taken, which has another order.
        return page.where((_c.webhook_id + 0).in_(select(webhooks.c.id).where(*owned)))
    if not ids:
        return page.where(in_values(_c.webhook_id, ids))
    parts = (select(page.where(_c.webhook_id == id_).subquery()) for id_ in ids)
    merged = union_all(*parts).subquery()
    columns = [merged.c.created_at, merged.c.id] if filter.by_time else [merged.c.id]
    order = [one.asc() if filter.oldest_first else one.desc() for one in columns]
    return select(merged).order_by(*order).limit(limit)


def _conditions(filter: DeliveryFilter) -> list[ColumnElement[bool]]:
    conditions = created_within(_c.created_at, filter.start, filter.end)
    if filter.by_number:
        own = [_c.webhook_id == filter.webhook_id] if filter.webhook_id is not None else []
        conditions = created_between(_c.id, _c.created_at, filter.start, filter.end, own)
    if filter.states:
        conditions.append(_c.state.in_([state.value for state in filter.states]))
        partial = {_PARTIAL.get(state) for state in filter.states}
        if len(partial) == 1 and (same := partial.pop()) is not None:
            conditions.append(text(same))  # type: ignore[arg-type]
    if filter.event:
        of_type = select(outbox.c.id).where(
            outbox.c.id == _c.event_id, outbox.c.type == filter.event
        )
        conditions.append(of_type.exists())
    if filter.about is not None:
        kind, number = filter.about
        of_resource = select(outbox.c.id).where(
            outbox.c.kind == kind, outbox.c.resource_id == number
        )
        conditions.append(_c.event_id.in_(of_resource))
    return conditions
