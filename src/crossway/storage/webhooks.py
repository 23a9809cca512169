"""Endpoints as stored."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from crossway.domain.webhooks import Endpoint
from crossway.storage.rows import instant, maybe_instant, micros
from crossway.storage.sets import among
from crossway.storage.webhook_tables import deliveries, delivery_attempts, webhooks


class Webhooks:
    """`ports.webhook_records.WebhookRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, endpoint: Endpoint) -> Endpoint:
        row = endpoint_row(endpoint) | {"created_at": micros(endpoint.created_at)}
        made = self._db.execute(insert(webhooks).returning(webhooks), row).one()
        return endpoint_of(made)

    def get(self, webhook_id: int) -> Endpoint | None:
        row = self._db.execute(select(webhooks).where(webhooks.c.id == webhook_id)).first()
        return None if row is None else endpoint_of(row)

    def of(self, ids: Collection[int]) -> dict[int, Endpoint]:
        query = select(webhooks).where(among(self._db, webhooks.c.id, ids))
        rows = self._db.execute(query) if ids else ()
        return {row.id: endpoint_of(row) for row in rows}

    def of_client(self, client_id: str | None) -> list[Endpoint]:
        query = select(webhooks).order_by(webhooks.c.id)
        if client_id is not None:
            query = query.where(webhooks.c.client_id == client_id)
        return [endpoint_of(row) for row in self._db.execute(query)]

    def lock(self, ids: Collection[int]) -> dict[int, Endpoint]:
        if not ids:
            return {}
        query = select(webhooks).where(among(self._db, webhooks.c.id, ids))
        rows = self._db.execute(query.order_by(webhooks.c.id).with_for_update())
        return {row.id: endpoint_of(row) for row in rows}

    def lock_of_clients(self, clients: Collection[str]) -> list[Endpoint]:
        if not clients:
            return []
        query = select(webhooks).where(
            among(self._db, webhooks.c.client_id, clients), webhooks.c.enabled.is_(True)
        )
        rows = self._db.execute(query.order_by(webhooks.c.id).with_for_update())
        return [endpoint_of(row) for row in rows]

    def change(self, endpoint: Endpoint) -> None:
        self._db.execute(
            update(webhooks).where(webhooks.c.id == endpoint.id).values(**endpoint_row(endpoint))
        )

    def remove(self, webhook_id: int) -> None:
        own = select(deliveries.c.id).where(deliveries.c.webhook_id == webhook_id)
        tried = delivery_attempts.c.delivery_id.in_(own)
        self._db.execute(delete(delivery_attempts).where(tried))
        self._db.execute(delete(deliveries).where(deliveries.c.webhook_id == webhook_id))
        self._db.execute(delete(webhooks).where(webhooks.c.id == webhook_id))


def endpoint_row(endpoint: Endpoint) -> dict[str, Any]:
    """What of an endpoint can change, and its owner, as its row."""
    until, since = endpoint.old_secret_until, endpoint.failing_since
    return {
        "client_id": endpoint.client_id,
        "url": endpoint.url,
        "events": " ".join(endpoint.events),
        "description": endpoint.description,
        "secret": endpoint.secret,
        "old_secret": endpoint.old_secret,
        "old_secret_until": None if until is None else micros(until),
        "enabled": endpoint.enabled,
        "disabled_reason": endpoint.disabled_reason,
        "failing_since": None if since is None else micros(since),
        "updated_at": micros(endpoint.updated_at),
    }


def endpoint_of(row: Any) -> Endpoint:
    """The endpoint of a whole row."""
    return Endpoint(
        id=row.id,
        client_id=row.client_id,
        url=row.url,
        events=tuple(row.events.split()),
        description=row.description,
        secret=bytes(row.secret),
        old_secret=None if row.old_secret is None else bytes(row.old_secret),
        old_secret_until=maybe_instant(row.old_secret_until),
        enabled=bool(row.enabled),
        disabled_reason=row.disabled_reason,
        failing_since=maybe_instant(row.failing_since),
        created_at=instant(row.created_at),
        updated_at=instant(row.updated_at),
    )
