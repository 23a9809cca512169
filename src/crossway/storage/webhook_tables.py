"""The tables of what is told to the outside: announcements, webhooks, deliveries, attempts."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, Table, Text, text

from crossway.storage.tables import METADATA, row_id

announcements = Table(
    "announcements",
    METADATA,
    row_id(),
    Column("event_id", Text, nullable=False, unique=True),
    Column("client_id", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("resource_id", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("facts", Text, nullable=False),
    # Its place in the order in which all is told; none until it was fanned out.
    Column("position", BigInteger, unique=True),
)
_NEW = text("position IS NULL")
Index("announcements_new", announcements.c.id, sqlite_where=_NEW, postgresql_where=_NEW)
Index("announcements_of_client", announcements.c.client_id, announcements.c.position)
Index("announcements_at", announcements.c.client_id, announcements.c.at)

# Numbers of webhooks and deliveries are never used again, as SQLite would once the newest is gone:
# an answer to what was removed would count for whoever has its number by then.
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
    sqlite_autoincrement=True,
)

deliveries = Table(
    "deliveries",
    METADATA,
    row_id(),
    Column("webhook_id", BigInteger, nullable=False),
    Column("announcement_id", BigInteger, nullable=False, index=True),
    # Those of one line and one webhook are sent one after the other.
    Column("line", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("next_at", BigInteger, nullable=False),
    Column("leased_until", BigInteger, nullable=False),
    Column("status", Integer),
    Column("error", Text, nullable=False),
    Column("replay_of", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)
Index("deliveries_of_webhook", deliveries.c.webhook_id, deliveries.c.id)
_DUE = text("state = 'DUE'")
Index(
    "deliveries_due",
    deliveries.c.webhook_id,
    deliveries.c.next_at,
    deliveries.c.id,
    sqlite_where=_DUE,
    postgresql_where=_DUE,
)
_OPEN = text("state IN ('DUE', 'WAITING')")
Index(
    "deliveries_open",
    deliveries.c.webhook_id,
    deliveries.c.line,
    deliveries.c.id,
    sqlite_where=_OPEN,
    postgresql_where=_OPEN,
)

delivery_attempts = Table(
    "delivery_attempts",
    METADATA,
    row_id(),
    Column("delivery_id", BigInteger, nullable=False, index=True),
    Column("at", BigInteger, nullable=False),
    Column("status", Integer),
    Column("error", Text, nullable=False),
    Column("milliseconds", BigInteger, nullable=False),
    Column("headers", Text, nullable=False),
    Column("answer", Text, nullable=False),
)
