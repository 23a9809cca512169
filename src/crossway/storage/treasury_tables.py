"""The tables of daily balances, corridor statistics, inventory targets and reconciliations."""

from sqlalchemy import BigInteger, Boolean, Column, Integer, Table, Text

from crossway.storage.partial_indexes import partial_index
from crossway.storage.tables import METADATA, row_id

# One row for each day with postings to an account: its turnover and closing balance.
daily_balances = Table(
    "daily_balances",
    METADATA,
    Column("account", Text, primary_key=True),
    Column("chain", Text, primary_key=True),
    Column("token", Text, primary_key=True),
    Column("day", BigInteger, primary_key=True),
    Column("debits", Text, nullable=False),
    Column("credits", Text, nullable=False),
    Column("balance", Text, nullable=False),
)

# Outcomes of payments by hour and by day (`period`), counted when they ended.
corridor_stats = Table(
    "corridor_stats",
    METADATA,
    Column("period", Text, primary_key=True),
    Column("period_number", BigInteger, primary_key=True),
    Column("mode", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("destination", Text, primary_key=True),
    Column("bridge", Text, primary_key=True),
    Column("symbol", Text, primary_key=True),
    Column("outcome", Text, primary_key=True),
    # The duration, by the buckets of domain/corridor_stats.py.
    Column("bucket", Integer, primary_key=True),
    Column("payment_count", BigInteger, nullable=False),
    Column("micro_usd", BigInteger, nullable=False),
    Column("fee_micro_usd", BigInteger, nullable=False),
)

inventory_targets = Table(
    "inventory_targets",
    METADATA,
    Column("chain", Text, primary_key=True),
    Column("token", Text, primary_key=True),
    Column("amount", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

reconciliations = Table(
    "reconciliations",
    METADATA,
    row_id(),
    Column("started_by", Text, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    # The day of a scheduled run: unique, so that one of several engines does it.
    Column("for_day", BigInteger, unique=True),
    Column("chains_done", Integer, nullable=False),
    Column("chains_total", Integer, nullable=False),
    Column("differences", Integer, nullable=False),
    Column("result", Text, nullable=False),
)
partial_index(
    "reconciliations_running",
    reconciliations.c.id,
    where="ended_at IS NULL",
)

# Payments that are not ended and pay out another token than is deposited.
open_pairs = Table(
    "open_pairs",
    METADATA,
    Column("symbol_in", Text, primary_key=True),
    Column("symbol_out", Text, primary_key=True),
    Column("payments", BigInteger, nullable=False),
    Column("micro_usd", BigInteger, nullable=False),
    # Of payments that payers made by payment links and have not paid.
    Column("unpaid_micro_usd", BigInteger, nullable=False, server_default="0"),
)
# What returns may still cost on each chain.
return_budgets = Table(
    "return_budgets",
    METADATA,
    Column("chain", Text, primary_key=True),
    Column("earned_micro_usd", BigInteger, nullable=False),
    Column("allowance_micro_usd", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)
# The postings of a payment to HELD and DUST, summed by chain and token.
address_balances = Table(
    "address_balances",
    METADATA,
    Column("intent_id", BigInteger, primary_key=True, autoincrement=False),
    Column("chain", Text, primary_key=True),
    Column("token", Text, primary_key=True),
    Column("held", Text, nullable=False),
    Column("dust", Text, nullable=False),
    # Another token or chain than the payment's own.
    Column("misdirected", Boolean, nullable=False),
    sqlite_with_rowid=False,
)
partial_index(
    "address_balances_misdirected",
    address_balances.c.intent_id,
    where="misdirected = 1 AND held <> '0'",
    postgresql_where="misdirected AND held <> '0'",
)
partial_index(
    "address_balances_dust",
    address_balances.c.chain,
    address_balances.c.intent_id,
    where="dust <> '0'",
)
