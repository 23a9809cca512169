"""The tables of the treasury: the books by day, flows by corridor, targets, reconciliations."""

from sqlalchemy import BigInteger, Column, Index, Integer, Table, Text, text

from crossway.storage.tables import METADATA, row_id

# One row for each day on which an account moved: what was posted, and what it stood at then.
book_days = Table(
    "book_days",
    METADATA,
    Column("account", Text, primary_key=True),
    Column("chain", Text, primary_key=True),
    Column("token", Text, primary_key=True),
    Column("day", BigInteger, primary_key=True),
    Column("debits", Text, nullable=False),
    Column("credits", Text, nullable=False),
    Column("units", Text, nullable=False),
)

# How payments ended, by the hour and by the day (`span`), counted when they ended.
flows = Table(
    "flows",
    METADATA,
    Column("span", Text, primary_key=True),
    Column("at", BigInteger, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("destination", Text, primary_key=True),
    Column("bridge", Text, primary_key=True),
    Column("symbol", Text, primary_key=True),
    Column("ended", Text, primary_key=True),
    # How long it took, as domain/flows.py counts it.
    Column("bucket", Integer, primary_key=True),
    Column("n", BigInteger, nullable=False),
    Column("micro_usd", BigInteger, nullable=False),
    Column("fee_micro_usd", BigInteger, nullable=False),
)

stock_targets = Table(
    "stock_targets",
    METADATA,
    Column("chain", Text, primary_key=True),
    Column("token", Text, primary_key=True),
    Column("units", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

reconciliations = Table(
    "reconciliations",
    METADATA,
    row_id(),
    Column("who", Text, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    # Of a run that the clock asked for: its day, so that of many engines one does it.
    Column("for_day", BigInteger, unique=True),
    Column("done", Integer, nullable=False),
    Column("of", Integer, nullable=False),
    Column("differences", Integer, nullable=False),
    Column("result", Text, nullable=False),
)
_RUNNING = text("ended_at IS NULL")
Index(
    "reconciliations_running",
    reconciliations.c.id,
    sqlite_where=_RUNNING,
    postgresql_where=_RUNNING,
)
