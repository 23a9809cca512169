"""The newest webhook deliveries of each of several intents, in one query."""

from collections.abc import Collection

from sqlalchemy import Connection, func, select

from crossway.domain.clients import OwnerFilter
from crossway.domain.webhooks import Delivery
from crossway.sql.in_values import in_values
from crossway.storage.delivery_rows import DELIVERIES
from crossway.storage.owner_sql import is_owned
from crossway.storage.webhook_tables import deliveries, outbox, webhooks

_c = deliveries.c


def list_newest_of_intents(
    db: Connection, owners: OwnerFilter, intent_ids: Collection[int], limit: int
) -> dict[int, list[Delivery]]:
    """By intent, its newest `limit` deliveries; see `DeliveryRepository.list_newest_of_intents`."""
    place = func.row_number().over(partition_by=outbox.c.resource_id, order_by=_c.id.desc())
    ranked = (
        select(_c.id, outbox.c.resource_id, place.label("place"))
        .select_from(outbox)
        .join(deliveries, _c.event_id == outbox.c.id)
        .join(webhooks, webhooks.c.id == _c.webhook_id)
        .where(outbox.c.kind == "intent", in_values(outbox.c.resource_id, intent_ids))
        .where(*is_owned(webhooks, owners))
    ).subquery()
    newest = select(ranked.c.id, ranked.c.resource_id).where(ranked.c.place <= limit)
    intent_of = {row.id: row.resource_id for row in db.execute(newest)}
    query = select(deliveries).where(in_values(_c.id, intent_of)).order_by(_c.id.desc())
    found: dict[int, list[Delivery]] = {}
    for row in db.execute(query) if intent_of else ():
        found.setdefault(intent_of[row.id], []).append(DELIVERIES.decode(row))
    return found
