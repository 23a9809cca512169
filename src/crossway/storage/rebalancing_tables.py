"""The tables of rebalancing policies, settings and transfers."""

from sqlalchemy import BigInteger, Boolean, Column, Integer, Table, Text

from crossway.storage.partial_indexes import partial_index
from crossway.storage.tables import METADATA, row_id

rebalancing_policies = Table(
    "rebalancing_policies",
    METADATA,
    Column("chain", Text, primary_key=True),
    Column("token", Text, primary_key=True),
    Column("minimum", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("maximum", Text, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)
# One row, with the id 1, once somebody has changed them.
rebalancing_settings = Table(
    "rebalancing_settings",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("mode", Text, nullable=False),
    Column("max_cost_bps", Integer, nullable=False),
    Column("max_cost_day_micro_usd", BigInteger, nullable=False),
    Column("smallest_micro_usd", BigInteger, nullable=False),
    Column("largest_micro_usd", BigInteger, nullable=False),
    Column("max_open_per_bridge", Integer, nullable=False),
    Column("cool_down_seconds", Integer, nullable=False),
    # Minutes since midnight (UTC).
    Column("begins_at", Integer, nullable=False),
    Column("ends_at", Integer, nullable=False),
    Column("approve_above_micro_usd", BigInteger, nullable=False),
)
rebalancing_transfers = Table(
    "rebalancing_transfers",
    METADATA,
    row_id(),
    Column("bridge", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("source_chain", Text, nullable=False),
    Column("source_token", Text, nullable=False),
    Column("destination_chain", Text, nullable=False),
    Column("destination_token", Text, nullable=False),
    Column("amount", Text, nullable=False),
    Column("max_source_amount", Text, nullable=False),
    Column("micro_usd", BigInteger, nullable=False),
    Column("fee_micro_usd", BigInteger, nullable=False),
    Column("seconds", Integer, nullable=False),
    Column("is_urgent", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("proposed_by", Text, nullable=False),
    Column("proposed_by_identity", Text, nullable=False),
    Column("decided_by", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False, index=True),
    Column("updated_at", BigInteger, nullable=False),
)
OPEN = "state IN ('PROPOSED', 'STARTED')"
partial_index("rebalancing_transfers_open", rebalancing_transfers.c.id, where=OPEN)
