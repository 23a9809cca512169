"""Tables of the sandbox providers: amounts as text, times as epoch seconds, no personal data."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData()
# SQLite autoincrements only INTEGER columns.
_ROW_ID = BigInteger().with_variant(Integer, "sqlite")

providers = Table(
    "ramp_sandbox_providers",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("down_until", Double, nullable=False),
    Column("slow_seconds", Double, nullable=False),
    Column("refuse_next", Integer, nullable=False),
    Column("short_bps", Integer, nullable=False),
    Column("overcharge_bps", Integer, nullable=False),
    Column("repeat", Boolean, nullable=False),
    Column("shuffle", Boolean, nullable=False),
    Column("deliver_seconds", Integer, nullable=False),
    Column("rate_bps", Integer, nullable=False),
    Column("kyc", Text, nullable=False),
)

# Orders are immutable; their progress is in their reports.
orders = Table(
    "ramp_sandbox_orders",
    METADATA,
    Column("reference", Text, primary_key=True),
    Column("provider", Text, nullable=False),
    Column("direction", Text, nullable=False),
    Column("fiat_minor", Text, nullable=False),
    Column("chain", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("amount", Text, nullable=False),
    Column("to_address", Text, nullable=False),
    Column("refund_address", Text, nullable=False),
    Column("pay_to", Text, nullable=False),
    Column("widget_url", Text, nullable=False),
    Column("instructions", Text, nullable=False),
    Column("pay_by", Double, nullable=False),
    Column("closes_at", Double, nullable=False),
    Column("refusal_reason", Text, nullable=False),
)

# `amount` and `fiat_minor` are what was reported, `moved_amount` what was actually transferred.
reports = Table(
    "ramp_sandbox_reports",
    METADATA,
    Column("id", _ROW_ID, primary_key=True, autoincrement=True),
    Column("reference", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("amount", Text),
    Column("fiat_minor", Text),
    Column("moved_amount", Text, nullable=False),
    Column("tx_hash", Text, nullable=False),
    Column("reason", Text, nullable=False),
    UniqueConstraint("reference", "status", name="ramp_sandbox_reports_once"),
)

# `customer` is a keyed digest of an e-mail address; `submitted` holds the names of fields only.
kyc_customers = Table(
    "ramp_sandbox_kyc_customers",
    METADATA,
    Column("provider", Text, primary_key=True),
    Column("customer", Text, primary_key=True),
    Column("kyc_type", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("submitted", Text, nullable=False),
    Column("since", Double, nullable=False),
    Column("overridden", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
)
