"""The tables of fiat ramps: orders and their history, KYC customers and their submissions."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
)

from crossway.storage.partial_indexes import partial_index
from crossway.storage.sealing import SEALED
from crossway.storage.tables import METADATA, row_id

# Marks a column of an order that no event changes. The customer is removed by an erasure alone, so
# that a concurrent change does not bring the data back.
FIXED: Final = "fixed"
orders = Table(
    "orders",
    METADATA,
    row_id(),
    Column("client_id", Text, nullable=False, info={FIXED: True}),
    Column("mode", Text, nullable=False, info={FIXED: True}),
    Column("reference", Text, nullable=False, unique=True, info={FIXED: True}),
    Column("direction", Text, nullable=False, info={FIXED: True}),
    Column("provider", Text, nullable=False, info={FIXED: True}),
    Column("state", Text, nullable=False),
    Column("currency", Text, nullable=False),
    Column("digits", Integer, nullable=False),
    Column("fiat_minor", BigInteger, nullable=False),
    Column("fee_minor", BigInteger, nullable=False),
    Column("fees_minor", BigInteger, nullable=False),
    Column("fees_micro_usd", BigInteger, nullable=False),
    Column("value_micro_usd", BigInteger, nullable=False),
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
    Column("customer_id", Text, info={FIXED: True}),
    Column("encrypted_fields", LargeBinary, info={FIXED: True}),
    Column("widget_url", Text, nullable=False, info={SEALED: True}),
    Column("instructions", Text, nullable=False, info={SEALED: True}),
    Column("pay_to", Text, nullable=False),
    Column("intent_id", BigInteger),
    Column("intent_address", Text, nullable=False, index=True),
    Column("provider_reference", Text, nullable=False),
    Column("provider_tx", Text, nullable=False, index=True),
    Column("failure_reason", Text, nullable=False, info={SEALED: True}),
    Column("metadata", Text, nullable=False, info={SEALED: True}),
    Column("command", Text, nullable=False),
    Column("attempt_count", Integer, nullable=False),
    Column("next_at", BigInteger),
    Column("paid_at", BigInteger),
    Column("created_at", BigInteger, nullable=False, info={FIXED: True}),
    Column("updated_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("completed_at", BigInteger),
    Column("delay_reason", Text, nullable=False, server_default=""),
    Column("provider_closed_at", BigInteger),
)
Index("orders_of_client", orders.c.client_id, orders.c.mode, orders.c.id)
Index("orders_by_state", orders.c.state, orders.c.id)
Index("orders_by_creation", orders.c.created_at, orders.c.id)
Index("orders_of_person", orders.c.customer_id, orders.c.provider, orders.c.created_at)
partial_index("orders_due", orders.c.next_at, where="next_at IS NOT NULL")
partial_index(
    "orders_by_provider",
    orders.c.provider,
    orders.c.provider_reference,
    unique=True,
    where="provider_reference <> ''",
)

order_counts = Table(
    "order_counts",
    METADATA,
    Column("client_id", Text, primary_key=True),
    Column("mode", Text, primary_key=True),
    Column("state", Text, primary_key=True),
    Column("total", BigInteger, nullable=False),
)

order_transitions = Table(
    "order_transitions",
    METADATA,
    row_id(),
    Column("event_id", Text, nullable=False, unique=True),
    Column("order_id", BigInteger, nullable=False, index=True),
    Column("at", BigInteger, nullable=False),
    Column("event", Text, nullable=False),
    Column("from_state", Text),
    Column("to_state", Text, nullable=False),
    Column("note", Text, nullable=False, info={SEALED: True}),
)

processed_updates = Table(
    "processed_updates",
    METADATA,
    Column("provider", Text, primary_key=True),
    Column("update_id", Text, primary_key=True),
    Column("at", BigInteger, nullable=False, index=True),
)

kyc_customers = Table(
    "kyc_customers",
    METADATA,
    Column("id", Text, primary_key=True),
    # The keyed digest of the address; an erasure deletes both.
    Column("email_index", Text),
    Column("encrypted_email", LargeBinary),
    Column("created_at", BigInteger, nullable=False),
    Column("erased_at", BigInteger),
    Column("client_id", Text, nullable=False),
    Column("mode", Text, nullable=False),
)
Index("kyc_customers_by_age", kyc_customers.c.created_at, kyc_customers.c.id)
# Each owner has a person once; a provider's limits count the person over all owners.
Index(
    "kyc_customers_of_person",
    kyc_customers.c.email_index,
    kyc_customers.c.mode,
    kyc_customers.c.client_id,
    unique=True,
)

# What erased customers had used of a provider's limits in a month, until that month is over.
kyc_erased_usage = Table(
    "kyc_erased_usage",
    METADATA,
    Column("email_index", Text, primary_key=True),
    Column("mode", Text, primary_key=True),
    Column("client_id", Text, primary_key=True),
    Column("provider", Text, primary_key=True),
    # The beginning of the month.
    Column("month", BigInteger, primary_key=True, index=True),
    Column("used_micro_usd", BigInteger, nullable=False),
)

kyc_submissions = Table(
    "kyc_submissions",
    METADATA,
    row_id(),
    Column("customer_id", Text, nullable=False),
    Column("provider", Text, nullable=False),
    Column("country", Text, nullable=False),
    Column("field", Text, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("encrypted_value", LargeBinary, nullable=False),
    Column("at", BigInteger, nullable=False),
)
Index(
    "kyc_submissions_of_person",
    kyc_submissions.c.customer_id,
    kyc_submissions.c.provider,
    kyc_submissions.c.country,
    kyc_submissions.c.field,
    unique=True,
)

# How far each check was when a provider was last asked; without personal data.
kyc_checks = Table(
    "kyc_checks",
    METADATA,
    row_id(),
    Column("client_id", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("customer_id", Text, nullable=False),
    Column("provider", Text, nullable=False),
    Column("country", Text, nullable=False),
    Column("currency", Text, nullable=False),
    Column("kyc_type", Text, nullable=False),
    Column("status", Text),
    Column("at", BigInteger, nullable=False),
)
Index("kyc_checks_by_change", kyc_checks.c.mode, kyc_checks.c.at, kyc_checks.c.id)
Index(
    "kyc_checks_of_client",
    kyc_checks.c.client_id,
    kyc_checks.c.mode,
    kyc_checks.c.at,
    kyc_checks.c.id,
)
Index(
    "kyc_checks_of_person",
    kyc_checks.c.customer_id,
    kyc_checks.c.provider,
    kyc_checks.c.country,
    unique=True,
)

kyc_submission_syncs = Table(
    "kyc_submission_syncs",
    METADATA,
    Column("customer_id", Text, primary_key=True),
    Column("provider", Text, primary_key=True),
    Column("country", Text, primary_key=True),
    Column("sync_id", Text, nullable=False, unique=True),
    Column("attempt_count", Integer, nullable=False),
    Column("next_at", BigInteger),
)
partial_index(
    "kyc_submission_syncs_due", kyc_submission_syncs.c.next_at, where="next_at IS NOT NULL"
)

stored_secrets = Table(
    "stored_secrets",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("encrypted_value", LargeBinary, nullable=False),
)
