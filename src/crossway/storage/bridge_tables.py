"""The tables of bridge transfers and of their history."""

from sqlalchemy import BigInteger, Column, Integer, LargeBinary, Table, Text

from crossway.storage.partial_indexes import partial_index
from crossway.storage.tables import METADATA, row_id

bridge_transfers = Table(
    "bridge_transfers",
    METADATA,
    Column("intent_id", BigInteger, primary_key=True, autoincrement=False),
    Column("bridge", Text, nullable=False),
    Column("source_chain", Text, nullable=False),
    Column("destination_chain", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("source_tx", Text, nullable=False),
    Column("destination_tx", Text, nullable=False),
    Column("sent_message", LargeBinary, nullable=False),
    Column("message", LargeBinary, nullable=False),
    Column("attestation", LargeBinary, nullable=False),
    Column("sent_at", BigInteger),
    Column("expected_at", BigInteger),
    Column("next_at", BigInteger, nullable=False),
    Column("ask_at", BigInteger),
    Column("poll_count", Integer, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)
OPEN = "state IN ('SEEN', 'DELAYED', 'HALTED', 'OVERDUE', 'EXPIRED', 'CLAIMABLE')"
partial_index(
    "bridge_transfers_open",
    bridge_transfers.c.source_chain,
    bridge_transfers.c.next_at,
    where=OPEN,
)

bridge_steps = Table(
    "bridge_steps",
    METADATA,
    row_id(),
    Column("intent_id", BigInteger, nullable=False, index=True),
    Column("at", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("tx", Text, nullable=False),
    Column("note", Text, nullable=False),
)
