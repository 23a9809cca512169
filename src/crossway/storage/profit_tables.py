"""The tables of profit and loss: prices by the hour, and results by day."""

from sqlalchemy import BigInteger, Column, Integer, Table, Text

from crossway.storage.tables import METADATA

# Prices of whole tokens in pico-USD, by hour since 1970.
ledger_prices = Table(
    "ledger_prices",
    METADATA,
    Column("hour", BigInteger, primary_key=True),
    Column("symbol", Text, primary_key=True),
    Column("pico_usd", Text, nullable=False),
    sqlite_with_rowid=False,
)

# By day since 1970 and line of the profit and loss account.
daily_results = Table(
    "daily_results",
    METADATA,
    Column("day", BigInteger, primary_key=True),
    Column("line", Text, primary_key=True),
    Column("chain", Text, primary_key=True),
    Column("token", Text, primary_key=True),
    Column("origin", Text, primary_key=True),
    Column("client_id", Text, primary_key=True),
    Column("mode", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("destination", Text, primary_key=True),
    Column("bridge", Text, primary_key=True),
    Column("units", Text, nullable=False),
    Column("nano_usd", Text, nullable=False),
    # The units whose price was not known.
    Column("unpriced", Text, nullable=False),
    sqlite_with_rowid=False,
)

# Up to which posting results are counted: one row.
profit_progress = Table(
    "profit_progress",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("posting_id", BigInteger, nullable=False),
)
