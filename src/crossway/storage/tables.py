"""The tables: amounts and nonces as text (wider than 64 bits), instants as UTC microseconds."""

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
    text,
)

METADATA = MetaData()
# SQLite numbers rows by itself only in a column that it calls INTEGER.
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
    Column("brand", Text, nullable=False, server_default="{}"),
)

api_keys = Table(
    "api_keys",
    METADATA,
    row_id(),
    Column("client_id", Text, ForeignKey("clients.id"), nullable=False, index=True),
    Column("mode", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("shown", Text, nullable=False),
    Column("secret_hash", Text, nullable=False, unique=True),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
    Column("last_used_at", BigInteger),
    Column("ends_at", BigInteger),
    Column("requests_per_minute", Integer),
    Column("addresses", Text, nullable=False, server_default=""),
)

idempotency = Table(
    "idempotency",
    METADATA,
    Column("client_id", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("body_hash", Text, nullable=False),
    Column("at", BigInteger, nullable=False, index=True),
    Column("status", Integer),
    Column("body", LargeBinary, nullable=False),
)

intents = Table(
    "intents",
    METADATA,
    row_id(),
    Column("client_id", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("address", Text, nullable=False, unique=True),
    Column("destination_address", Text, nullable=False, index=True),
    Column("deposit_token_account", Text),
    Column("nonce", Text, nullable=False, unique=True),
    Column("source_chain", Text, nullable=False),
    Column("destination_chain", Text, nullable=False),
    Column("token_in", Text, nullable=False),
    Column("token_out", Text, nullable=False),
    Column("total_units", Text, nullable=False),
    Column("out_units", Text, nullable=False),
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
    Column("amount_units", Text, nullable=False),
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
    Column("state", Text, nullable=False),
    Column("received_units", Text, nullable=False),
    Column("held_units", Text, nullable=False),
    Column("relayer", Text, nullable=False),
    Column("relayer_claimed", Boolean, nullable=False),
    Column("needs_relay", Boolean, nullable=False),
    Column("tx_hash", Text, index=True),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("order_id", BigInteger),
    # SHORT or OVER, once something came in and it is not what was asked.
    Column("weight", Text, nullable=False, server_default=""),
)
_OPEN = text("state IN ('PENDING', 'FUNDED')")
Index("intents_of_client", intents.c.client_id, intents.c.id)
Index("intents_by_state", intents.c.state, intents.c.id)
Index(
    "intents_expiring",
    intents.c.source_chain,
    intents.c.expires_at,
    sqlite_where=_OPEN,
    postgresql_where=_OPEN,
)
_STARTED = text("state = 'INITIATED'")
Index(
    "intents_started",
    intents.c.destination_chain,
    intents.c.token_out,
    sqlite_where=_STARTED,
    postgresql_where=_STARTED,
)

intent_counts = Table(
    "intent_counts",
    METADATA,
    Column("client_id", Text, primary_key=True),
    Column("state", Text, primary_key=True),
    Column("n", BigInteger, nullable=False),
)

moves = Table(
    "moves",
    METADATA,
    row_id(),
    Column("event_id", Text, nullable=False, unique=True),
    Column("intent_id", BigInteger, nullable=False, index=True),
    Column("client_id", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("event", Text, nullable=False),
    Column("from_state", Text),
    Column("to_state", Text, nullable=False),
    Column("tells", Text),
    Column("note", Text, nullable=False),
)
_FILLED = text("tells = 'intent_completed'")
Index("moves_completed", moves.c.at, sqlite_where=_FILLED, postgresql_where=_FILLED)

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
    Column("units", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("purpose", Text),
    Column("note", Text, nullable=False),
    Column("open_foreign", Boolean, nullable=False),
    Column("credited_at", BigInteger),
    UniqueConstraint("chain", "tx_hash", "tx_index"),
)
_SEEN = text("state = 'SEEN'")
Index(
    "deposits_seen",
    deposits.c.chain,
    deposits.c.ready_height,
    sqlite_where=_SEEN,
    postgresql_where=_SEEN,
)
Index("deposits_by_height", deposits.c.chain, deposits.c.block_height)
_FOREIGN_SQLITE, _FOREIGN_PG = text("open_foreign = 1"), text("open_foreign")
Index(
    "deposits_open_foreign",
    deposits.c.intent_id,
    sqlite_where=_FOREIGN_SQLITE,
    postgresql_where=_FOREIGN_PG,
)

transfers = Table(
    "transfers",
    METADATA,
    row_id(),
    Column("intent_id", BigInteger, nullable=False),
    Column("duty", Text, nullable=False),
    Column("cause", Text, nullable=False),
    Column("chain", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("units", Text),
    Column("to_address", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("next_at", BigInteger, nullable=False),
    Column("tx_id", Text),
    Column("block_height", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    UniqueConstraint("intent_id", "duty", "cause"),
)
Index("transfers_by_tx", transfers.c.tx_id)
for _state, _column in (
    ("DUE", transfers.c.next_at),
    ("SIGNED", transfers.c.id),
    ("CONFIRMED", transfers.c.block_height),
):
    _where = text(f"state = '{_state}'")
    Index(
        f"transfers_{_state.lower()}",
        transfers.c.chain,
        _column,
        sqlite_where=_where,
        postgresql_where=_where,
    )
_WAITING = text("state IN ('DUE', 'SIGNED', 'FAILED') AND reason <> ''")
Index("transfers_waiting", transfers.c.id, sqlite_where=_WAITING, postgresql_where=_WAITING)

attempts = Table(
    "attempts",
    METADATA,
    row_id(),
    Column("transfer_id", BigInteger, nullable=False, index=True),
    Column("chain", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("nonce", Text, nullable=False),
    Column("tx_id", Text, nullable=False),
    Column("fee_units", Text, nullable=False),
    Column("raw", LargeBinary, nullable=False),
    Column("at", BigInteger, nullable=False),
)
Index("attempts_by_tx", attempts.c.tx_id)

nonces = Table(
    "nonces",
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
    Column("units", Text, nullable=False),
    Column("tx", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)
Index("postings_by_time", postings.c.at)
for _side in (postings.c.debit, postings.c.credit):
    _place = (_side, postings.c.chain, postings.c.token, postings.c.at)
    Index(f"postings_by_{_side.name}", *_place)

book_balances = Table(
    "book_balances",
    METADATA,
    Column("account", Text, primary_key=True),
    Column("chain", Text, primary_key=True),
    Column("token", Text, primary_key=True),
    Column("units", Text, nullable=False),
    # The newest day with a posting, counted from 1970, and what was posted on it.
    Column("day", BigInteger, nullable=False, server_default="0"),
    Column("day_debits", Text, nullable=False, server_default="0"),
    Column("day_credits", Text, nullable=False, server_default="0"),
)
