"""The tables of payments: amounts as text (wider than 64 bits), instants as microseconds."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

from crossway.storage.partial_indexes import partial_index

METADATA = MetaData()
# Marks a column that events change after the row was inserted.
CHANGES: Final = "changes"
# SQLite assigns ids only in a column of type INTEGER.
ROW_ID = BigInteger().with_variant(Integer, "sqlite")


def row_id() -> Column[int]:
    return Column("id", ROW_ID, primary_key=True, autoincrement=True)


clients = Table(
    "clients",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("app_fee_bps", Integer, nullable=False),
    Column("app_fee_cap_micro_usd", BigInteger),
    Column("requests_per_minute", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("refund_addresses", Text, nullable=False, server_default="{}"),
    Column("public_profile", Text, nullable=False, server_default="{}"),
)

api_keys = Table(
    "api_keys",
    METADATA,
    row_id(),
    Column("client_id", Text, ForeignKey("clients.id"), nullable=False, index=True),
    Column("mode", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("display_prefix", Text, nullable=False),
    Column("secret_hash", Text, nullable=False, unique=True),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
    Column("last_used_at", BigInteger),
    Column("expires_at", BigInteger),
    Column("requests_per_minute", Integer),
    Column("addresses", Text, nullable=False, server_default=""),
)

intents = Table(
    "intents",
    METADATA,
    row_id(),
    Column("client_id", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("intent_hash", Text, nullable=False),
    Column("address", Text, nullable=False, unique=True),
    Column("destination_address", Text, nullable=False),
    Column("deposit_token_account", Text),
    Column("nonce", Text, nullable=False, unique=True),
    Column("source_chain", Text, nullable=False),
    Column("destination_chain", Text, nullable=False),
    Column("token_in", Text, nullable=False),
    Column("token_out", Text, nullable=False),
    Column("deposit_amount", Text, nullable=False),
    Column("payout_amount", Text, nullable=False),
    Column("recipient", Text, nullable=False),
    Column("refund_address", Text, nullable=False),
    Column("bridge", Text, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("amount_micro_usd", BigInteger, nullable=False),
    Column("service_micro_usd", BigInteger, nullable=False),
    Column("bridge_micro_usd", BigInteger, nullable=False),
    Column("app_micro_usd", BigInteger, nullable=False),
    Column("fees_units", Text, nullable=False),
    Column("app_fee_units", Text, nullable=False),
    Column("sender", Text, nullable=False),
    Column("requested_amount", Text, nullable=False),
    Column("amount_symbol", Text, nullable=False),
    Column("asset_symbol", Text, nullable=False),
    Column("asset_decimals", Integer, nullable=False),
    Column("out_symbol", Text, nullable=False),
    Column("out_decimals", Integer, nullable=False),
    Column("slippage", Text, nullable=False),
    Column("settle_seconds", Integer, nullable=False),
    Column("bridge_data", Text, nullable=False),
    Column("coordinator", Text, nullable=False),
    Column("bridger", Text, nullable=False),
    Column("metadata", Text, nullable=False),
    Column("payment_link_id", Text),
    Column("state", Text, nullable=False, info={CHANGES: True}),
    Column("received_amount", Text, nullable=False, info={CHANGES: True}),
    Column("balance_at_address", Text, nullable=False, info={CHANGES: True}),
    Column("relayer", Text, nullable=False, info={CHANGES: True}),
    Column("relayer_claimed", Boolean, nullable=False, info={CHANGES: True}),
    Column("needs_relay", Boolean, nullable=False, info={CHANGES: True}),
    Column("tx_hash", Text, info={CHANGES: True}),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False, info={CHANGES: True}),
    Column("order_id", BigInteger),
    # SHORT or OVER when a wrong amount was received, else empty.
    Column("funding_level", Text, nullable=False, server_default="", info={CHANGES: True}),
    Column("network_fee_units", Text, nullable=False, server_default="0"),
    Column("by_payer", Boolean, nullable=False, server_default="0"),
    Column("custody", Text, nullable=False, server_default="OPERATOR"),
    Column("swap", Text),
)
Index("intents_of_client", intents.c.client_id, intents.c.mode, intents.c.id)
Index("intents_by_state", intents.c.state, intents.c.id)
partial_index(
    "intents_expiring",
    intents.c.source_chain,
    intents.c.expires_at,
    where="state IN ('PENDING', 'FUNDED')",
)
partial_index(
    "intents_started",
    intents.c.destination_chain,
    intents.c.token_out,
    where="state = 'INITIATED'",
)

intent_counts = Table(
    "intent_counts",
    METADATA,
    Column("client_id", Text, primary_key=True),
    Column("mode", Text, primary_key=True),
    Column("state", Text, primary_key=True),
    Column("total", BigInteger, nullable=False),
)

transitions = Table(
    "transitions",
    METADATA,
    row_id(),
    Column("event_id", Text, nullable=False, unique=True),
    Column("intent_id", BigInteger, nullable=False, index=True),
    Column("at", BigInteger, nullable=False),
    Column("event", Text, nullable=False),
    Column("from_state", Text),
    Column("to_state", Text, nullable=False),
    Column("event_type", Text),
    Column("note", Text, nullable=False),
)
partial_index("transitions_completed", transitions.c.at, where="event_type = 'intent_completed'")

deposits = Table(
    "deposits",
    METADATA,
    row_id(),
    Column("intent_id", BigInteger, nullable=False, index=True),
    Column("chain", Text, nullable=False),
    Column("tx_hash", Text, nullable=False),
    Column("tx_index", Integer, nullable=False),
    Column("block_height", BigInteger, nullable=False),
    Column("block_hash", Text, nullable=False),
    Column("ready_height", BigInteger, nullable=False),
    Column("token", Text, nullable=False),
    Column("sender", Text, nullable=False),
    Column("to_address", Text, nullable=False),
    Column("amount", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("purpose", Text),
    Column("note", Text, nullable=False),
    Column("awaiting_return", Boolean, nullable=False),
    Column("credited_at", BigInteger),
    # Its payment had many deposits before it: it waits in a queue of its own.
    Column("low_priority", Boolean, nullable=False, server_default="0"),
    UniqueConstraint("chain", "tx_hash", "tx_index"),
)
_d = deposits.c
_queue = (_d.chain, _d.low_priority, _d.ready_height)
partial_index("deposits_seen", *_queue, where="state = 'SEEN'")
partial_index("deposits_orphaned", _d.intent_id, where="state = 'ORPHANED'")
Index("deposits_by_height", _d.chain, _d.block_height)
_place = (_d.intent_id, _d.chain, _d.token, _d.id)
partial_index(
    "deposits_awaiting_return",
    *_place,
    where="awaiting_return = 1",
    postgresql_where="awaiting_return",
)

outbound_txs = Table(
    "outbound_txs",
    METADATA,
    row_id(),
    Column("intent_id", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("cause", Text, nullable=False),
    Column("chain", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("amount", Text),
    Column("to_address", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempt_count", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("next_at", BigInteger, nullable=False),
    Column("tx_id", Text),
    Column("block_height", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    UniqueConstraint("intent_id", "kind", "cause"),
)
Index("outbound_txs_by_tx", outbound_txs.c.tx_id)
for _state, _column in (
    ("DUE", outbound_txs.c.next_at),
    ("SIGNED", outbound_txs.c.id),
    ("CONFIRMED", outbound_txs.c.block_height),
):
    partial_index(
        f"outbound_txs_{_state.lower()}",
        outbound_txs.c.chain,
        _column,
        where=f"state = '{_state}'",
    )
_open = "state IN ('DUE', 'SIGNED', 'FAILED')"
partial_index("outbound_txs_unsettled", outbound_txs.c.intent_id, where=_open)
partial_index("outbound_txs_waiting", outbound_txs.c.id, where=f"{_open} AND reason <> ''")

tx_attempts = Table(
    "tx_attempts",
    METADATA,
    row_id(),
    Column("outbound_tx_id", BigInteger, nullable=False, index=True),
    Column("chain", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("nonce", Text, nullable=False),
    Column("tx_id", Text, nullable=False),
    Column("fee_units", Text, nullable=False),
    Column("raw", LargeBinary, nullable=False),
    Column("at", BigInteger, nullable=False),
)
Index("tx_attempts_by_tx", tx_attempts.c.tx_id)

account_nonces = Table(
    "account_nonces",
    METADATA,
    Column("chain", Text, primary_key=True),
    Column("account", Text, primary_key=True),
    Column("first", BigInteger, nullable=False),
    Column("next", BigInteger, nullable=False),
)

postings = Table(
    "postings",
    METADATA,
    row_id(),
    Column("intent_id", BigInteger, nullable=False, index=True),
    Column("chain", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("debit", Text, nullable=False),
    Column("credit", Text, nullable=False),
    Column("amount", Text, nullable=False),
    Column("tx", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)
Index("postings_by_time", postings.c.at)
for _side in (postings.c.debit, postings.c.credit):
    Index(f"postings_by_{_side.name}", _side, postings.c.chain, postings.c.token, postings.c.at)

account_balances = Table(
    "account_balances",
    METADATA,
    Column("account", Text, primary_key=True),
    Column("chain", Text, primary_key=True),
    Column("token", Text, primary_key=True),
    Column("balance", Text, nullable=False),
    # The newest day with a posting, counted from 1970, and its turnover.
    Column("day", BigInteger, nullable=False, server_default="0"),
    Column("day_debits", Text, nullable=False, server_default="0"),
    Column("day_credits", Text, nullable=False, server_default="0"),
)
