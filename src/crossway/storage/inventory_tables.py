"""The table of inventory transfers."""

from sqlalchemy import BigInteger, Column, Integer, LargeBinary, Table, Text, UniqueConstraint

from crossway.storage.partial_indexes import partial_index
from crossway.storage.tables import METADATA, row_id

inventory_transfers = Table(
    "inventory_transfers",
    METADATA,
    row_id(),
    Column("intent_id", BigInteger, nullable=False),
    Column("bridge", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("source_chain", Text, nullable=False),
    Column("destination_chain", Text, nullable=False),
    Column("source_token", Text, nullable=False),
    Column("destination_token", Text, nullable=False),
    Column("amount", Text, nullable=False),
    Column("source_amount", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("commitment", LargeBinary, nullable=False),
    Column("agreement", LargeBinary, nullable=False),
    Column("reference", Text, nullable=False),
    Column("source_tx", Text, nullable=False),
    Column("destination_tx", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("expires_at", BigInteger),
    Column("expected_at", BigInteger),
    Column("next_at", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    UniqueConstraint("intent_id", "kind"),
)
UNSENT = "state IN ('PLANNED', 'AGREED')"
UNDER_WAY = "state IN ('PLANNED', 'AGREED', 'SENDING', 'SENT', 'OVERDUE')"
OPEN = "state IN ('PLANNED', 'AGREED', 'SENDING', 'SENT', 'OVERDUE', 'DELIVERED')"
# A MINT is made on the destination chain, and has no source chain.
partial_index(
    "inventory_transfers_open",
    inventory_transfers.c.source_chain,
    inventory_transfers.c.next_at,
    where=OPEN,
)
partial_index(
    "inventory_transfers_minting",
    inventory_transfers.c.destination_chain,
    inventory_transfers.c.next_at,
    where=f"kind = 'MINT' AND {OPEN}",
)
