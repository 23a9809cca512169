"""Webhook endpoints."""

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, delete, insert, select, update

from crossway.domain.clients import OwnerFilter
from crossway.domain.webhooks import Endpoint
from crossway.sql.in_values import in_values
from crossway.storage.owner_sql import is_owned
from crossway.storage.row_mapper import RowMapper
from crossway.storage.webhook_tables import deliveries, delivery_attempts, webhooks

ENDPOINTS: Final = RowMapper(Endpoint, webhooks)
_CHANGED: Final = ENDPOINTS.encoder(without=("id", "created_at"))


class SqlWebhooks:
    """`ports.webhook_repository.WebhookRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, endpoint: Endpoint) -> Endpoint:
        row = ENDPOINTS.encode_new(endpoint)
        stored = self._db.execute(insert(webhooks).returning(webhooks), row).one()
        return ENDPOINTS.decode(stored)

    def get(self, webhook_id: int) -> Endpoint | None:
        row = self._db.execute(select(webhooks).where(webhooks.c.id == webhook_id)).first()
        return None if row is None else ENDPOINTS.decode(row)

    def get_many(self, ids: Collection[int]) -> dict[int, Endpoint]:
        query = select(webhooks).where(in_values(webhooks.c.id, ids))
        rows = self._db.execute(query) if ids else ()
        return {row.id: ENDPOINTS.decode(row) for row in rows}

    def list_by_owner(self, owners: OwnerFilter) -> list[Endpoint]:
        query = select(webhooks).where(*is_owned(webhooks, owners)).order_by(webhooks.c.id)
        return [ENDPOINTS.decode(row) for row in self._db.execute(query)]

    def lock(self, ids: Collection[int]) -> dict[int, Endpoint]:
        if not ids:
            return {}
        query = select(webhooks).where(in_values(webhooks.c.id, ids))
        rows = self._db.execute(query.order_by(webhooks.c.id).with_for_update())
        return {row.id: ENDPOINTS.decode(row) for row in rows}

    def lock_enabled_by_clients(self, clients: Collection[str]) -> list[Endpoint]:
        if not clients:
            return []
        query = select(webhooks).where(
            in_values(webhooks.c.client_id, clients), webhooks.c.enabled.is_(True)
        )
        rows = self._db.execute(query.order_by(webhooks.c.id).with_for_update())
        return [ENDPOINTS.decode(row) for row in rows]

    def update(self, endpoint: Endpoint) -> None:
        self._db.execute(
            update(webhooks).where(webhooks.c.id == endpoint.id).values(**_CHANGED(endpoint))
        )

    def delete(self, webhook_id: int) -> None:
        own = select(deliveries.c.id).where(deliveries.c.webhook_id == webhook_id)
        of_endpoint = delivery_attempts.c.delivery_id.in_(own)
        self._db.execute(delete(delivery_attempts).where(of_endpoint))
        self._db.execute(delete(deliveries).where(deliveries.c.webhook_id == webhook_id))
        self._db.execute(delete(webhooks).where(webhooks.c.id == webhook_id))
