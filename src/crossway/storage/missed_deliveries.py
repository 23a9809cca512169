"""Queries about the events that a webhook endpoint missed, and about those queued again."""

from sqlalchemy import Connection, case, exists, func, or_, select

from crossway.domain.webhooks import ALL_EVENTS, TEST_KIND, DeliveryState
from crossway.ports.webhook_repository import MissedFilter
from crossway.sql.in_values import in_values
from crossway.storage.row_mapper import to_micros
from crossway.storage.webhook_tables import deliveries, outbox

_c = deliveries.c
_FAILED = DeliveryState.FAILED.value


def list_missed(db: Connection, missed: MissedFilter, limit: int) -> list[tuple[int, str]]:
    """The id and sequence key of each missed event; see `DeliveryRepository.list_missed`."""
    first_failed = _find_first_failed(db, missed.webhook_id, limit)
    if first_failed is None:
        return []
    own = (_c.event_id == outbox.c.id, _c.webhook_id == missed.webhook_id)
    accepted_or_queued = exists().where(*own, _c.state != _FAILED)
    if missed.among is None:
        # By the index of a client's positions, so that events of before the failure cost nothing;
        # where retention deleted the failed event, all that are left are read. An event without a
        # position is not fanned out yet and will be delivered anyway.
        failed_at = select(outbox.c.position).where(outbox.c.id == first_failed).scalar_subquery()
        chosen = outbox.c.position >= func.coalesce(failed_at, 0)
    else:
        chosen = in_values(outbox.c.id, missed.among)
    query = (
        select(outbox.c.id, outbox.c.kind, outbox.c.resource_id)
        .where(
            outbox.c.client_id == missed.owner.client_id,
            outbox.c.mode == missed.owner.mode,
            chosen,
            # As a sum, so that SQLite does not take the index of a client's times.
            outbox.c.at + 0 >= to_micros(missed.oldest),
            outbox.c.kind != TEST_KIND,
            ~accepted_or_queued,
        )
        .order_by(outbox.c.id)
        .limit(limit)
    )
    if ALL_EVENTS not in missed.events:
        query = query.where(outbox.c.type.in_(missed.events))
    for later, since in missed.since.items():
        subscribed = or_(outbox.c.type != later, outbox.c.at + 0 >= to_micros(since))
        query = query.where(or_(subscribed, exists().where(*own)))
    return [(row.id, f"{row.kind}:{row.resource_id}") for row in db.execute(query)]


def _find_first_failed(db: Connection, webhook_id: int, limit: int) -> int | None:
    """The oldest event that only failed, among an endpoint's newest deliveries."""
    newest = select(_c.event_id, _c.state).where(_c.webhook_id == webhook_id)
    recent = newest.order_by(_c.id.desc()).limit(limit).subquery()
    others = func.sum(case((recent.c.state == _FAILED, 0), else_=1))
    only_failed = select(recent.c.event_id).group_by(recent.c.event_id).having(others == 0)
    first = db.execute(only_failed.order_by(recent.c.event_id).limit(1)).scalar()
    return None if first is None else int(first)


def count_batch_by_state(
    db: Connection, webhook_id: int, prefix: str, limit: int
) -> dict[DeliveryState, int]:
    """Counts by state of the newest deliveries whose sequence key has a prefix."""
    newest = select(_c.state, _c.sequence_key).where(_c.webhook_id == webhook_id)
    recent = newest.order_by(_c.id.desc()).limit(limit).subquery()
    query = select(recent.c.state, func.count()).where(
        recent.c.sequence_key.startswith(prefix, autoescape=True)
    )
    rows = db.execute(query.group_by(recent.c.state))
    return {DeliveryState(state): count for state, count in rows}
