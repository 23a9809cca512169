"""The tables of the service's own: cursors, leases, alarms, switches, audit and request log."""

from sqlalchemy import BigInteger, Column, Index, Integer, Table, Text, text

from crossway.storage.tables import METADATA, row_id

cursors = Table(
    "cursors",
    METADATA,
    Column("chain", Text, primary_key=True),
    Column("height", BigInteger, nullable=False),
    Column("block_hash", Text, nullable=False),
)

leases = Table(
    "leases",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("until", BigInteger, nullable=False),
)

alarms = Table(
    "alarms",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("since", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Column("cleared_at", BigInteger),
    Column("acknowledged_at", BigInteger),
    Column("acknowledged_by", Text, nullable=False, server_default=""),
    Column("note", Text, nullable=False, server_default=""),
)

# Every time that an alarm stood and was over.
past_alarms = Table(
    "past_alarms",
    METADATA,
    row_id(),
    Column("key", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("since", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Column("cleared_at", BigInteger, nullable=False),
    Column("acknowledged_at", BigInteger),
    Column("acknowledged_by", Text, nullable=False, server_default=""),
    Column("note", Text, nullable=False, server_default=""),
)
Index("past_alarms_by_kind", past_alarms.c.kind, past_alarms.c.id)

switches = Table(
    "switches",
    METADATA,
    Column("subject", Text, primary_key=True),
    Column("reason", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

audit = Table(
    "audit",
    METADATA,
    row_id(),
    Column("at", BigInteger, nullable=False),
    Column("who", Text, nullable=False),
    Column("what", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("subject", Text, nullable=False, server_default=""),
    Column("before", Text),
    Column("after", Text),
    # Of this entry and the hash before it; empty in entries from before there were any.
    Column("hash", Text, nullable=False, server_default=""),
)
Index("audit_by_subject", audit.c.subject, audit.c.id)

requests = Table(
    "requests",
    METADATA,
    row_id(),
    Column("at", BigInteger, nullable=False, index=True),
    Column("request_id", Text, nullable=False, index=True),
    Column("method", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("status", Integer, nullable=False),
    Column("microseconds", BigInteger, nullable=False),
    Column("client_id", Text),
    Column("key_shown", Text),
    Column("asked", Text),
    Column("answered", Text),
    # The intent that it made or was about.
    Column("intent_id", BigInteger),
)
_ABOUT_INTENT = text("intent_id IS NOT NULL")
Index(
    "requests_of_intent",
    requests.c.intent_id,
    requests.c.id,
    sqlite_where=_ABOUT_INTENT,
    postgresql_where=_ABOUT_INTENT,
)
Index("requests_of_client", requests.c.client_id, requests.c.id)
