"""The tables of the outbox, webhook endpoints, deliveries and delivery attempts."""

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, Table, Text

from crossway.storage.partial_indexes import partial_index
from crossway.storage.sealing import SEALED
from crossway.storage.tables import METADATA, row_id

# The column of times by which PostgreSQL partitions a table. It is part of the primary key there,
# and what else is unique is so within each partition.
PARTITIONED_BY: Final = "partitioned_by"

outbox = Table(
    "outbox",
    METADATA,
    row_id(),
    Column("event_id", Text, nullable=False, unique=True),
    Column("client_id", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("resource_id", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("snapshot", Text, nullable=False, info={SEALED: True}),
    # Its position in the order of its client's events; NULL until it is fanned out.
    Column("position", BigInteger),
    # Empty only in a row without an owner, which nobody sees.
    Column("mode", Text, nullable=False, server_default=""),
    info={PARTITIONED_BY: "at"},
)
partial_index("outbox_new", outbox.c.id, where="position IS NULL")
Index("outbox_of_client", outbox.c.client_id, outbox.c.position, unique=True)
Index("outbox_at", outbox.c.client_id, outbox.c.at)

# Ids of webhooks and deliveries are never reused, as SQLite does by default: a late response to a
# deleted one would count for its successor.
webhooks = Table(
    "webhooks",
    METADATA,
    row_id(),
    Column("client_id", Text, nullable=False, index=True),
    Column("url", Text, nullable=False),
    Column("events", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("secret", LargeBinary, nullable=False),
    Column("old_secret", LargeBinary),
    Column("old_secret_until", BigInteger),
    Column("enabled", Boolean, nullable=False),
    Column("disabled_reason", Text, nullable=False),
    Column("failing_since", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("mode", Text, nullable=False, server_default=""),
    Column("later_events", Text, nullable=False, server_default="{}"),
    sqlite_autoincrement=True,
)

deliveries = Table(
    "deliveries",
    METADATA,
    row_id(),
    Column("webhook_id", BigInteger, nullable=False),
    Column("event_id", BigInteger, nullable=False, index=True),
    # Deliveries with the same sequence and webhook are sent one after the other.
    Column("sequence_key", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempt_count", Integer, nullable=False),
    Column("next_at", BigInteger, nullable=False),
    Column("leased_until", BigInteger, nullable=False),
    Column("status", Integer),
    Column("error", Text, nullable=False),
    Column("replay_of", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    sqlite_autoincrement=True,
    info={PARTITIONED_BY: "created_at"},
)
Index("deliveries_of_webhook", deliveries.c.webhook_id, deliveries.c.id)
Index("deliveries_by_creation", deliveries.c.webhook_id, deliveries.c.created_at, deliveries.c.id)
partial_index(
    "deliveries_due",
    deliveries.c.webhook_id,
    deliveries.c.next_at,
    deliveries.c.id,
    where="state = 'DUE'",
)
partial_index(
    "deliveries_open",
    deliveries.c.webhook_id,
    deliveries.c.sequence_key,
    deliveries.c.id,
    where="state IN ('DUE', 'WAITING')",
)
partial_index(
    "deliveries_failed", deliveries.c.webhook_id, deliveries.c.id, where="state = 'FAILED'"
)

delivery_attempts = Table(
    "delivery_attempts",
    METADATA,
    row_id(),
    Column("delivery_id", BigInteger, nullable=False, index=True),
    Column("at", BigInteger, nullable=False),
    Column("status", Integer),
    Column("error", Text, nullable=False, info={SEALED: True}),
    Column("milliseconds", BigInteger, nullable=False),
    Column("headers", Text, nullable=False, info={SEALED: True}),
    Column("response", Text, nullable=False, info={SEALED: True}),
    info={PARTITIONED_BY: "at"},
)
