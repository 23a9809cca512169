"""The tables of the engine's own: cursors, leases, alarms, switches and the audit log."""

from sqlalchemy import BigInteger, Column, Table, Text

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
)

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
)
