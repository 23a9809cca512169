"""The tables of standing addresses and their deposits."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Table, Text, UniqueConstraint

from crossway.storage.partial_indexes import partial_index
from crossway.storage.tables import METADATA, row_id

standing_addresses = Table(
    "standing_addresses",
    METADATA,
    row_id(),
    Column("name", Text, nullable=False, unique=True),
    Column("client_id", Text, ForeignKey("clients.id"), nullable=False),
    Column("mode", Text, nullable=False),
    Column("address", Text, nullable=False, unique=True),
    Column("standing_hash", Text, nullable=False),
    Column("source_chain", Text, nullable=False),
    Column("destination_chain", Text, nullable=False),
    Column("token_out", Text, nullable=False),
    Column("recipient", Text, nullable=False),
    Column("recovery", Text, nullable=False),
    Column("committed", Text, nullable=False),
    Column("history", Text, nullable=False),
    Column("reference", Text, nullable=False),
    Column("metadata", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)
Index("standing_addresses_of_client", standing_addresses.c.client_id, standing_addresses.c.id)
HAS_REFERENCE = "reference <> ''"
partial_index(
    "standing_addresses_by_reference",
    standing_addresses.c.reference,
    standing_addresses.c.name,
    where=HAS_REFERENCE,
)

standing_deposits = Table(
    "standing_deposits",
    METADATA,
    row_id(),
    Column("number", BigInteger, ForeignKey("standing_addresses.id"), nullable=False),
    Column("client_id", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("chain", Text, nullable=False),
    Column("tx_hash", Text, nullable=False),
    Column("tx_index", BigInteger, nullable=False),
    Column("block_height", BigInteger, nullable=False),
    Column("block_hash", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("sender", Text, nullable=False),
    Column("to_address", Text, nullable=False),
    Column("amount", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    # Its payment. The index makes sure that no other deposit has the same.
    Column("intent_id", BigInteger, unique=True),
    Column("micro_usd", BigInteger, nullable=False),
    Column("reason", Text, nullable=False),
    Column("next_at", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    # The height of the chain from which on it is confirmed.
    Column("ready_height", BigInteger, nullable=False),
    UniqueConstraint("chain", "tx_hash", "tx_index", name="standing_deposits_once"),
)
Index("standing_deposits_of_address", standing_deposits.c.number, standing_deposits.c.id)
Index("standing_deposits_of_client", standing_deposits.c.client_id, standing_deposits.c.id)
Index("standing_deposits_by_tx", standing_deposits.c.tx_hash)
Index("standing_deposits_by_block", standing_deposits.c.chain, standing_deposits.c.block_height)
SEEN = "state = 'SEEN'"
OPEN = "state IN ('WAITING', 'FORWARDING')"
THERE = "state IN ('SEEN', 'WAITING', 'FORWARDING', 'RETURNING', 'KEPT', 'FAILED')"
partial_index(
    "standing_deposits_seen",
    standing_deposits.c.chain,
    standing_deposits.c.ready_height,
    where=SEEN,
)
partial_index(
    "standing_deposits_open",
    standing_deposits.c.chain,
    standing_deposits.c.next_at,
    where=OPEN,
)
partial_index(
    "standing_deposits_there",
    standing_deposits.c.chain,
    standing_deposits.c.number,
    where=THERE,
)
