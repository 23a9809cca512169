"""The operational tables: cursors, leases, idempotency keys, alerts, switches, audit, requests."""

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, Table, Text

from crossway.storage.partial_indexes import partial_index
from crossway.storage.sealing import SEALED
from crossway.storage.tables import METADATA, row_id

cursors = Table(
    "cursors",
    METADATA,
    Column("chain", Text, primary_key=True),
    Column("height", BigInteger, nullable=False),
    Column("block_hash", Text, nullable=False),
)

# One row; see storage/commit_counter.py.
commit_counter = Table(
    "commit_counter",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("commits", BigInteger, nullable=False),
)

leases = Table(
    "leases",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("until", BigInteger, nullable=False),
    # Counts the changes of owner.
    Column("epoch", BigInteger, nullable=False, server_default="0"),
)

idempotency_slots = Table(
    "idempotency_slots",
    METADATA,
    Column("client_id", Text, primary_key=True),
    Column("mode", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("body_hash", Text, nullable=False),
    Column("at", BigInteger, nullable=False, index=True),
    Column("status", Integer),
    Column("body", LargeBinary, nullable=False),
    # The request that is in flight, and until when it holds the key unless it renews that.
    Column("holder", Text, nullable=False, server_default=""),
    Column("held_until", BigInteger, nullable=False, server_default="0"),
)

alerts = Table(
    "alerts",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("since", BigInteger, nullable=False),
    Column("last_seen_at", BigInteger, nullable=False),
    Column("acknowledged_at", BigInteger),
    Column("acknowledged_by", Text, nullable=False, server_default=""),
    Column("note", Text, nullable=False, server_default=""),
    Column("assigned_to", Text, nullable=False, server_default=""),
    Column("snoozed_until", BigInteger),
)

# One row for each time that an alert was active and was resolved.
resolved_alerts = Table(
    "resolved_alerts",
    METADATA,
    row_id(),
    Column("key", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("since", BigInteger, nullable=False),
    Column("last_seen_at", BigInteger, nullable=False),
    Column("resolved_at", BigInteger, nullable=False),
    Column("acknowledged_at", BigInteger),
    Column("acknowledged_by", Text, nullable=False, server_default=""),
    Column("note", Text, nullable=False, server_default=""),
    Column("assigned_to", Text, nullable=False, server_default=""),
)
Index("resolved_alerts_by_kind", resolved_alerts.c.kind, resolved_alerts.c.id)

kill_switches = Table(
    "kill_switches",
    METADATA,
    Column("subject", Text, primary_key=True),
    Column("reason", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

audit_log = Table(
    "audit_log",
    METADATA,
    row_id(),
    Column("at", BigInteger, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("subject", Text, nullable=False, server_default=""),
    Column("before", Text),
    Column("after", Text),
    # Covers this entry and the hash of the entry before it.
    Column("hash", Text, nullable=False, server_default=""),
    # The signature of the hash, and so of this entry and all before it.
    Column("mac", Text, nullable=False, server_default=""),
)
Index("audit_log_by_subject", audit_log.c.subject, audit_log.c.id)

request_log = Table(
    "request_log",
    METADATA,
    row_id(),
    Column("at", BigInteger, nullable=False, index=True),
    Column("request_id", Text, nullable=False, index=True),
    Column("method", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("status", Integer, nullable=False),
    Column("microseconds", BigInteger, nullable=False),
    Column("client_id", Text),
    Column("key_prefix", Text),
    Column("request_body", Text, info={SEALED: True}),
    Column("response_body", Text, info={SEALED: True}),
    # The intent that the request created or was about.
    Column("intent_id", BigInteger),
    # NULL, as the client is, without a valid key.
    Column("mode", Text),
)
partial_index(
    "request_log_of_intent",
    request_log.c.intent_id,
    request_log.c.id,
    where="intent_id IS NOT NULL",
)
Index("request_log_of_client", request_log.c.client_id, request_log.c.id)
