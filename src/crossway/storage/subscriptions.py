"""Subscriptions."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Select, insert, select, text, update

from crossway.domain.clients import OwnerFilter
from crossway.domain.subscriptions import Subscription
from crossway.sql.in_values import in_values
from crossway.storage.billing_tables import subscriptions
from crossway.storage.owner_sql import is_owned
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.sealing import opener, sealer

SUBSCRIPTIONS: Final = RowMapper(Subscription, subscriptions)
_IS_DUE: Final = text("subscriptions.next_at IS NOT NULL")
_c = subscriptions.c


class SqlSubscriptions:
    """`ports.billing_repository.SubscriptionRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._open_text, self._seal = opener(db), sealer(db)

    def add(self, subscription: Subscription) -> Subscription:
        row = SUBSCRIPTIONS.encode_new(subscription, self._seal)
        added = self._db.execute(insert(subscriptions).returning(subscriptions), row).one()
        return SUBSCRIPTIONS.decode(added, self._open_text)

    def get(self, name: str) -> Subscription | None:
        found = self._decode(select(subscriptions).where(_c.name == name))
        return found[0] if found else None

    def get_many(self, ids: Collection[int]) -> dict[int, Subscription]:
        found = self._decode(select(subscriptions).where(in_values(_c.id, ids))) if ids else ()
        return {subscription.id: subscription for subscription in found}

    def lock(self, subscription_id: int) -> Subscription:
        query = select(subscriptions).where(_c.id == subscription_id).with_for_update()
        return self._decode(query)[0]

    def update(self, subscription: Subscription) -> None:
        row = SUBSCRIPTIONS.encode(subscription, self._seal)
        for name in ("id", "name", "client_id", "mode", "created_at"):
            del row[name]
        is_it = _c.id == subscription.id
        self._db.execute(update(subscriptions).where(is_it).values(**row))

    def list_page(
        self, owners: OwnerFilter, limit: int, before_id: int | None = None
    ) -> list[Subscription]:
        query = select(subscriptions).where(*is_owned(subscriptions, owners))
        if before_id is not None:
            query = query.where(_c.id < before_id)
        return self._decode(query.order_by(_c.id.desc()).limit(limit))

    def list_due(self, now: datetime, limit: int) -> list[Subscription]:
        query = select(subscriptions).where(_IS_DUE, _c.next_at <= to_micros(now))
        return self._decode(query.order_by(_c.next_at).limit(limit))

    def _decode(self, query: Select[Any]) -> list[Subscription]:
        return [SUBSCRIPTIONS.decode(row, self._open_text) for row in self._db.execute(query)]
