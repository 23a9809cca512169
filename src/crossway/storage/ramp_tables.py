"""The tables of fiat ramps: orders with their history, people and what they handed in."""

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    text,
)

from crossway.storage.tables import METADATA, row_id

orders = Table(
    "orders",
    METADATA,
    row_id(),
    Column("client_id", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("reference", Text, nullable=False, unique=True),
    Column("direction", Text, nullable=False),
    Column("provider", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("currency", Text, nullable=False),
    Column("digits", Integer, nullable=False),
    Column("fiat_minor", BigInteger, nullable=False),
    Column("fee_minor", BigInteger, nullable=False),
    Column("fees_minor", BigInteger, nullable=False),
    Column("fees_micro_usd", BigInteger, nullable=False),
    Column("worth_micro_usd", BigInteger, nullable=False),
    Column("rate_micro", BigInteger, nullable=False),
    Column("symbol", Text, nullable=False),
    Column("decimals", Integer, nullable=False),
    Column("crypto_units", Text, nullable=False),
    Column("source_chain", Text, nullable=False),
    Column("destination_chain", Text, nullable=False),
    Column("ramp_chain", Text, nullable=False),
    Column("ramp_token", Text, nullable=False),
    Column("ramp_units", Text, nullable=False),
    Column("gross_units", Text, nullable=False),
    Column("sender", Text, nullable=False, index=True),
    Column("recipient", Text, nullable=False, index=True),
    Column("country", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("person_id", Text),
    Column("sealed", LargeBinary),
    Column("widget_url", Text, nullable=False),
    Column("instructions", Text, nullable=False),
    Column("pay_to", Text, nullable=False),
    Column("intent_id", BigInteger),
    Column("intent_address", Text, nullable=False, index=True),
    Column("provider_reference", Text, nullable=False),
    Column("provider_tx", Text, nullable=False, index=True),
    Column("failure_reason", Text, nullable=False),
    Column("metadata", Text, nullable=False),
    Column("errand", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("next_at", BigInteger),
    Column("paid_at", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("completed_at", BigInteger),
)
Index("orders_of_client", orders.c.client_id, orders.c.id)
Index("orders_by_state", orders.c.state, orders.c.id)
Index("orders_of_person", orders.c.person_id, orders.c.provider, orders.c.created_at)
_DUE = text("next_at IS NOT NULL")
Index("orders_due", orders.c.next_at, sqlite_where=_DUE, postgresql_where=_DUE)
_KNOWN = text("provider_reference <> ''")
Index(
    "orders_by_provider",
    orders.c.provider,
    orders.c.provider_reference,
    unique=True,
    sqlite_where=_KNOWN,
    postgresql_where=_KNOWN,
)

order_counts = Table(
    "order_counts",
    METADATA,
    Column("client_id", Text, primary_key=True),
    Column("state", Text, primary_key=True),
    Column("n", BigInteger, nullable=False),
)

order_moves = Table(
    "order_moves",
    METADATA,
    row_id(),
    Column("event_id", Text, nullable=False, unique=True),
    Column("order_id", BigInteger, nullable=False, index=True),
    Column("at", BigInteger, nullable=False),
    Column("event", Text, nullable=False),
    Column("from_state", Text),
    Column("to_state", Text, nullable=False),
    Column("note", Text, nullable=False),
)

order_reports = Table(
    "order_reports",
    METADATA,
    Column("provider", Text, primary_key=True),
    Column("report_id", Text, primary_key=True),
    Column("order_id", BigInteger, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("at", BigInteger, nullable=False, index=True),
)

people = Table(
    "people",
    METADATA,
    Column("id", Text, primary_key=True),
    # The digest goes with the address when somebody is erased.
    Column("email_index", Text, unique=True),
    Column("email_sealed", LargeBinary),
    Column("created_at", BigInteger, nullable=False),
    Column("erased_at", BigInteger),
)
Index("people_by_age", people.c.created_at, people.c.id)

submissions = Table(
    "submissions",
    METADATA,
    row_id(),
    Column("person_id", Text, nullable=False),
    Column("provider", Text, nullable=False),
    Column("country", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("client_id", Text, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("at", BigInteger, nullable=False),
)
Index(
    "submissions_of_person",
    submissions.c.person_id,
    submissions.c.provider,
    submissions.c.country,
    submissions.c.key,
    unique=True,
)

handovers = Table(
    "handovers",
    METADATA,
    Column("person_id", Text, primary_key=True),
    Column("provider", Text, primary_key=True),
    Column("country", Text, primary_key=True),
    Column("mark", Text, nullable=False, unique=True),
    Column("tries", Integer, nullable=False),
    Column("next_at", BigInteger),
)
Index("handovers_due", handovers.c.next_at, sqlite_where=_DUE, postgresql_where=_DUE)

secrets_kept = Table(
    "secrets_kept",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
)
