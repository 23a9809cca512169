"""Tables of the simulated network: amounts and nonces as text, instants as epoch seconds."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    false,
)

METADATA = MetaData()
# SQLite numbers rows by itself only in a column that it calls INTEGER.
ROW_ID = BigInteger().with_variant(Integer, "sqlite")


def _id() -> Column[int]:
    return Column("id", ROW_ID, primary_key=True, autoincrement=True)


# Rows are appended and found by a `tag`: 64 bits of a hash of the chain and the name
# (derivation.py). An index of the long random names would rewrite a page for each row.

simulated_clock = Table(
    "sim_clock",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("offset_seconds", Double, nullable=False),
    Column("frozen_at", Double),
)

chains = Table(
    "sim_chains",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("base_height", BigInteger, nullable=False),
    Column("base_at", Double, nullable=False),
    Column("block_seconds", Double, nullable=False),
    Column("first_height", BigInteger, nullable=False),
    Column("height", BigInteger, nullable=False),
    Column("last_at", Double, nullable=False),
    Column("reorgs", Text, nullable=False),
    Column("mempool_size", Integer, nullable=False),
    Column("dropped_count", Integer, nullable=False),
    Column("simulator_tx_count", BigInteger, nullable=False),
    Column("outage_until", Double, nullable=False),
    Column("drop_next", Integer, nullable=False),
    Column("revert_next", Integer, nullable=False),
    Column("slow_blocks", Integer, nullable=False),
    Column("fee_factor", Integer, nullable=False),
    Column("node_fault", Text, nullable=False),
    Column("stale_height", BigInteger, nullable=False),
)

# Blocks without transactions have no row: their height, time and hash are computed.
blocks = Table(
    "sim_blocks",
    METADATA,
    Column("chain", Text, primary_key=True),
    Column("height", BigInteger, primary_key=True),
    Column("hash", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("incoming", Integer, nullable=False),
    sqlite_with_rowid=False,
)

transactions = Table(
    "sim_transactions",
    METADATA,
    _id(),
    Column("chain", Text, nullable=False),
    Column("tag", BigInteger, nullable=False, index=True),
    Column("tx_id", Text, nullable=False),
    Column("block_height", BigInteger, nullable=False),
    Column("position", Integer, nullable=False),
    Column("raw", LargeBinary, nullable=False),
    Column("moved", LargeBinary, nullable=False),
    Column("fee_units", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("permanent", Boolean, nullable=False),
    Index("sim_transactions_by_block", "chain", "block_height"),
)

# Transfers to addresses that are not the operator's own: what a scan finds.
incoming_transfers = Table(
    "sim_incoming_transfers",
    METADATA,
    _id(),
    Column("chain", Text, nullable=False),
    Column("block_height", BigInteger, nullable=False),
    Column("position", Integer, nullable=False),
    Column("transfer_index", Integer, nullable=False),
    Column("tx_id", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("sender", Text, nullable=False),
    Column("receiver", Text, nullable=False),
    Column("tag", BigInteger, nullable=False, index=True),
    Column("units", Text, nullable=False),
    Index("sim_incoming_transfers_by_block", "chain", "block_height"),
)

mempool = Table(
    "sim_mempool",
    METADATA,
    _id(),
    Column("chain", Text, nullable=False),
    Column("tx_id", Text, nullable=False),
    Column("raw", LargeBinary, nullable=False),
)

# Transactions that the mempool dropped. From block `dead_height` on one can no longer land.
dropped_txs = Table(
    "sim_dropped_txs",
    METADATA,
    Column("chain", Text, primary_key=True),
    Column("tx_id", Text, primary_key=True),
    Column("account", Text, nullable=False),
    Column("nonce", Text, nullable=False),
    Column("not_after", Double),
    Column("dead_height", BigInteger),
)

balances = Table(
    "sim_balances",
    METADATA,
    _id(),
    Column("chain", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("tag", BigInteger, nullable=False, index=True),
    Column("token", Text, nullable=False),
    Column("units", Text, nullable=False),
)

# On-chain markers of calls that may happen once, by tag.
markers = Table(
    "sim_markers",
    METADATA,
    Column("tag", ROW_ID, primary_key=True, autoincrement=False),
)

nonces = Table(
    "sim_nonces",
    METADATA,
    Column("chain", Text, primary_key=True),
    Column("account", Text, primary_key=True),
    Column("next", Text, nullable=False),
)

refusing_addresses = Table(
    "sim_refusing_addresses",
    METADATA,
    Column("chain", Text, primary_key=True),
    Column("address", Text, primary_key=True),
)

# What bridges' contracts report; a reorganisation deletes the events of the blocks it replaces.
bridge_events = Table(
    "sim_bridge_events",
    METADATA,
    _id(),
    Column("chain", Text, nullable=False),
    Column("block_height", BigInteger, nullable=False),
    Column("tx_tag", BigInteger, nullable=False, index=True),
    Column("tx_id", Text, nullable=False),
    Column("tag", BigInteger, nullable=False, index=True),
    Column("intent_hash", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("contract", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("outcome", Integer, nullable=False),
    Column("token", Text, nullable=False),
    Column("got", Text, nullable=False),
    Column("paid", Text, nullable=False),
    Column("credited", Text, nullable=False),
    Column("payee", Text, nullable=False),
    Column("message", LargeBinary, nullable=False),
    Column("message_id", Text, nullable=False),
    Index("sim_bridge_events_by_block", "chain", "block_height"),
)

# What CCTP's service has attested to, by the burn's chain and the message's number. It stays when
# the burn is undone.
attestations = Table(
    "sim_attestations",
    METADATA,
    Column("message_id", Text, primary_key=True),
    Column("tag", BigInteger, nullable=False, index=True),
    Column("message", LargeBinary, nullable=False),
    # When it is answered; later than now while a new attestation is under way.
    Column("ready_at", Double, nullable=False),
)

# Deposits in the pool of Across. `due_at` is when relayers or the pool act next, empty at the end.
across_deposits = Table(
    "sim_across_deposits",
    METADATA,
    _id(),
    Column("chain", Text, nullable=False),
    Column("block_height", BigInteger, nullable=False),
    Column("intent_hash", Text, nullable=False, index=True),
    Column("destination", Text, nullable=False),
    Column("fill_deadline", Double, nullable=False),
    Column("due_at", Double, index=True),
    Column("refunded", Boolean, nullable=False),
    Column("call", LargeBinary, nullable=False),
    Index("sim_across_deposits_by_block", "chain", "block_height"),
)

# What each bridge is told to do wrong.
bridge_faults = Table(
    "sim_bridge_faults",
    METADATA,
    Column("bridge", Text, primary_key=True),
    Column("late_seconds", Double, nullable=False),
    Column("exhausted_allowance", Boolean, nullable=False),
    Column("expired_messages", Boolean, nullable=False),
    Column("unfilled_deposits", Boolean, nullable=False),
    Column("paused", Boolean, nullable=False),
    Column("wrong_answer", Text, nullable=False),
    Column("silent", Boolean, nullable=False),
    Column("refused", Boolean, nullable=False, server_default=false()),
    Column("unexecuted", Boolean, nullable=False, server_default=false()),
    Column("returned", Boolean, nullable=False, server_default=false()),
)

# What the services that move inventory have agreed to, by their number for it: mints out of the
# unified balance, drawn from the deposits on `source_chain`, and transfers of rhino.fi, which are
# executed at `due_at` by `paid_tx` on `paid_chain`. `released`: it was never used.
inventory_orders = Table(
    "sim_inventory_orders",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("bridge", Text, nullable=False, index=True),
    Column("source_chain", Text, nullable=False),
    Column("destination_chain", Text, nullable=False),
    Column("amount", Text, nullable=False),
    Column("source_amount", Text, nullable=False),
    Column("expires_at", Double, nullable=False),
    Column("due_at", Double),
    Column("released", Boolean, nullable=False),
    Column("paid_chain", Text, nullable=False),
    Column("paid_tx", Text, nullable=False),
)
