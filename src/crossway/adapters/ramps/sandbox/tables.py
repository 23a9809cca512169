"""What the sandbox providers remember: amounts as text, instants as epoch seconds, no person."""

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
# SQLite numbers rows by itself only in a column that it calls INTEGER.
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

# An order never changes: what became of it is what was said of it.
orders = Table(
    "ramp_sandbox_orders",
    METADATA,
    Column("reference", Text, primary_key=True),
    Column("provider", Text, nullable=False),
    Column("direction", Text, nullable=False),
    Column("fiat_minor", Text, nullable=False),
    Column("chain", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("units", Text, nullable=False),
    Column("to_address", Text, nullable=False),
    Column("refund_address", Text, nullable=False),
    Column("pay_to", Text, nullable=False),
    Column("widget_url", Text, nullable=False),
    Column("instructions", Text, nullable=False),
    Column("pay_by", Double, nullable=False),
    Column("closes_at", Double, nullable=False),
    Column("refused", Text, nullable=False),
)

# `units` and `fiat_minor` are what was claimed, `moved` the units that truly were.
reports = Table(
    "ramp_sandbox_reports",
    METADATA,
    Column("id", _ROW_ID, primary_key=True, autoincrement=True),
    Column("reference", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("units", Text),
    Column("fiat_minor", Text),
    Column("moved", Text, nullable=False),
    Column("tx_hash", Text, nullable=False),
    Column("reason", Text, nullable=False),
    UniqueConstraint("reference", "outcome", name="ramp_sandbox_reports_once"),
)

# `person` is a keyed digest of an e-mail address; of what was handed in, the names of the fields.
people = Table(
    "ramp_sandbox_people",
    METADATA,
    Column("provider", Text, primary_key=True),
    Column("person", Text, primary_key=True),
    Column("kyc_type", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("submitted", Text, nullable=False),
    Column("since", Double, nullable=False),
    Column("steered", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
)
