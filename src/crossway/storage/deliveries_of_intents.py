"""The newest webhook deliveries of each of several intents, in three queries."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from sqlalchemy import Connection, select

from crossway.domain.clients import OwnerFilter
from crossway.domain.webhooks import Delivery
from crossway.sql.in_values import in_values
from crossway.storage.delivery_rows import DELIVERIES, are_placed
from crossway.storage.owner_sql import is_owned
from crossway.storage.webhook_tables import deliveries, outbox, webhooks

_c = deliveries.c
_CLOCKS_DIFFER = 86_400_000_000  # microseconds


def list_newest_of_intents(
    db: Connection, owners: OwnerFilter, intent_ids: Collection[int], limit: int
) -> dict[int, list[Delivery]]:
    """By intent, its newest `limit` deliveries; see `DeliveryRepository.list_newest_of_intents`."""
    about = select(outbox.c.id, outbox.c.resource_id, outbox.c.at).where(
        outbox.c.kind == "intent", in_values(outbox.c.resource_id, intent_ids)
    )
    events = {row.id: row for row in db.execute(about)}
    if not events:
        return {}
    delivered = (
        select(_c.id, _c.event_id, _c.created_at)
        .join(webhooks, webhooks.c.id == _c.webhook_id)
        .where(
            in_values(_c.event_id, events),
            # The partitions of before have none.
            _c.created_at >= min(row.at for row in events.values()) - _CLOCKS_DIFFER,
            *is_owned(webhooks, owners),
        )
        .order_by(_c.id.desc())
    )
    newest: Mapping[int, dict[int, int]] = defaultdict(dict)
    for row in db.execute(delivered):
        chosen = newest[events[row.event_id].resource_id]
        if len(chosen) < limit:
            chosen[row.id] = row.created_at
    placed = {id_: at for chosen in newest.values() for id_, at in chosen.items()}
    rows = db.execute(select(deliveries).where(*are_placed(placed))) if placed else ()
    by_id = {row.id: DELIVERIES.decode(row) for row in rows}
    return {intent_id: [by_id[id_] for id_ in chosen] for intent_id, chosen in newest.items()}
