"""The tables of analytics: the figures of each payment, and their sums by hour and day.

Without row ids, SQLite keeps a table in the order of its key, in which the sums are read.
"""

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Table, Text

from crossway.storage.tables import METADATA, ROW_ID


def _amount(prefix: str = "") -> tuple[Column[int], Column[int]]:
    """An exact amount as two integers, whose sums fit in 64 bits: the number of whole 10**9 units,
    and the rest."""
    return _counted(f"{prefix}whole"), _counted(f"{prefix}rest")


def _counted(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False)


# What a payment adds to the sums, as it was last counted.
payment_figures = Table(
    "payment_figures",
    METADATA,
    Column("intent_id", ROW_ID, primary_key=True, autoincrement=False),
    Column("created_at", BigInteger, nullable=False),
    # The hour it was created in, counted from 1970.
    Column("hour", BigInteger, nullable=False),
    Column("mode", Text, nullable=False),
    Column("client_id", Text, nullable=False),
    Column("source_chain", Text, nullable=False),
    Column("destination_chain", Text, nullable=False),
    Column("bridge", Text, nullable=False),
    Column("symbol", Text, nullable=False),
    Column("decimals", Integer, nullable=False),
    Column("state", Text, nullable=False),
    # Empty for a payment that is open or completed.
    Column("cause", Text, nullable=False),
    # The time to completion, by the buckets of domain/corridor_stats.py.
    Column("bucket", Integer),
    Column("deposited", Boolean, nullable=False),
    Column("started", Boolean, nullable=False),
    Column("underpaid", Boolean, nullable=False),
    Column("requested_micro_usd", BigInteger, nullable=False),
    Column("service_fee_micro_usd", BigInteger, nullable=False),
    Column("bridge_fee_micro_usd", BigInteger, nullable=False),
    # The network fees paid on the source chain and, if it is another, the destination chain.
    *_amount("source_fee_"),
    *_amount("destination_fee_"),
    # The deposit of a completed payment, else 0.
    Column("deposit_units", Text, nullable=False),
)

Index(
    "payment_figures_of_client",
    payment_figures.c.client_id,
    payment_figures.c.mode,
    payment_figures.c.intent_id,
)

# Network fees paid on a chain that is neither the source nor the destination of the payment.
other_network_fees = Table(
    "other_network_fees",
    METADATA,
    Column("intent_id", BigInteger, primary_key=True, autoincrement=False),
    Column("chain", Text, primary_key=True),
    *_amount(),
    sqlite_with_rowid=False,
)


def _group_key() -> tuple[Column[Any], ...]:
    """A group of a dimension in one hour or day (`span`), counted from 1970."""
    return (
        Column("dimension", Text, primary_key=True),
        Column("span", Text, primary_key=True),
        Column("mode", Text, primary_key=True),
        Column("number", BigInteger, primary_key=True),
        Column("value", Text, primary_key=True),
    )


group_figures = Table(
    "group_figures",
    METADATA,
    *_group_key(),
    _counted("pending"),
    _counted("funded"),
    _counted("initiated"),
    _counted("completed"),
    _counted("expired"),
    _counted("refunded"),
    _counted("failed"),
    _counted("deposited"),
    _counted("started"),
    _counted("underpaid"),
    *_amount("requested_"),
    *_amount("volume_"),
    _counted("service_fee_micro_usd"),
    _counted("bridge_fee_micro_usd"),
    sqlite_with_rowid=False,
)

group_network_fees = Table(
    "group_network_fees",
    METADATA,
    *_group_key(),
    Column("chain", Text, primary_key=True),
    *_amount(),
    sqlite_with_rowid=False,
)

token_deposits = Table(
    "token_deposits",
    METADATA,
    Column("span", Text, primary_key=True),
    Column("mode", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("symbol", Text, primary_key=True),
    Column("decimals", Integer, primary_key=True),
    Column("units", Text, nullable=False),
    sqlite_with_rowid=False,
)

route_durations = Table(
    "route_durations",
    METADATA,
    Column("span", Text, primary_key=True),
    Column("mode", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("value", Text, primary_key=True),
    Column("bucket", Integer, primary_key=True),
    _counted("payments"),
    sqlite_with_rowid=False,
)

# One row: how far the figures reach.
analytics_cursor = Table(
    "analytics_cursor",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    # Everything up to these ids is counted.
    Column("transition_id", BigInteger, nullable=False),
    Column("posting_id", BigInteger, nullable=False),
    # Of the payments up to `backfill_from`, those from `backfill_end` on are counted.
    Column("backfill_end", BigInteger, nullable=False),
    Column("backfill_from", BigInteger, nullable=False),
)
