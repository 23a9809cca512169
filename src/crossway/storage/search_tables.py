"""Search indexes on other tables, and the tables of metadata values, notes and saved views."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Table, Text

from crossway.storage.partial_indexes import partial_index
from crossway.storage.sealing import SEALED
from crossway.storage.tables import METADATA, clients, deposits, intents, outbound_txs, row_id
from crossway.storage.webhook_tables import outbox

# A value and the id: a list filtered by one value is read newest first without sorting.
for _name, _column in (
    ("source", intents.c.source_chain),
    ("destination", intents.c.destination_chain),
    ("token", intents.c.asset_symbol),
    ("bridge", intents.c.bridge),
    ("mode", intents.c.mode),
    ("usd_amount", intents.c.amount_micro_usd),
    ("creation", intents.c.created_at),
    ("recipient", intents.c.recipient),
    ("sender", intents.c.sender),
):
    Index(f"intents_by_{_name}", _column, intents.c.id)
Index("intents_by_hash", intents.c.intent_hash)
for _name, _column, _condition in (
    ("funding_level", intents.c.funding_level, "funding_level <> ''"),
    ("link", intents.c.payment_link_id, "payment_link_id IS NOT NULL"),
    ("order", intents.c.order_id, "order_id IS NOT NULL"),
    ("token_account", intents.c.deposit_token_account, "deposit_token_account IS NOT NULL"),
    # A refund goes to the sender unless another address is named.
    ("refund_address", intents.c.refund_address, "refund_address <> sender"),
):
    partial_index(f"intents_by_{_name}", _column, intents.c.id, where=_condition)
partial_index("intents_by_payout", intents.c.tx_hash, where="tx_hash IS NOT NULL")
# Between EVM chains a payment has one address.
partial_index(
    "intents_by_destination_address",
    intents.c.destination_address,
    where="destination_address <> address",
)

Index("clients_by_name", clients.c.name)
Index("deposits_by_tx", deposits.c.tx_hash)
Index("deposits_by_sender", deposits.c.sender)
partial_index(
    "deposits_odd",
    deposits.c.purpose,
    deposits.c.intent_id,
    where="purpose IN ('LATE', 'WRONG_TOKEN', 'WRONG_CHAIN')",
)
partial_index(
    "outbound_txs_failed",
    outbound_txs.c.kind,
    outbound_txs.c.intent_id,
    where="state = 'FAILED'",
)
Index("outbox_about", outbox.c.kind, outbox.c.resource_id, outbox.c.id)

# Every plain value in the metadata of an intent, case-folded, such as an order's reference.
metadata_values = Table(
    "metadata_values",
    METADATA,
    Column("value", Text, primary_key=True),
    Column("intent_id", BigInteger, primary_key=True),
)

notes = Table(
    "notes",
    METADATA,
    row_id(),
    Column("subject", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("author", Text, nullable=False),
    Column("text", Text, nullable=False, info={SEALED: True}),
)
Index("notes_about", notes.c.subject, notes.c.id)

saved_views = Table(
    "saved_views",
    METADATA,
    row_id(),
    Column("screen", Text, nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("is_default", Boolean, nullable=False),
)
