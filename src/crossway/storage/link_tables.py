"""The tables of payment links, their uses, and clients' branding."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
)

from crossway.storage.tables import METADATA, row_id

payment_links = Table(
    "payment_links",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("client_id", Text, ForeignKey("clients.id"), nullable=False),
    Column("mode", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("amount", Text),
    Column("min_amount", Text),
    Column("max_amount", Text),
    Column("destination_chain", Text, nullable=False),
    Column("token_out", Text, nullable=False),
    Column("recipient", Text, nullable=False),
    Column("source_chains", Text, nullable=False),
    Column("source_tokens", Text, nullable=False),
    Column("reference", Text, nullable=False),
    Column("metadata", Text, nullable=False),
    Column("max_uses", BigInteger),
    Column("uses", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("active", Boolean, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("reserved", BigInteger, nullable=False, server_default="0"),
)
Index(
    "payment_links_of_client",
    payment_links.c.client_id,
    payment_links.c.created_at,
    payment_links.c.id,
)
Index("payment_links_newest", payment_links.c.created_at, payment_links.c.id)

payment_link_uses = Table(
    "payment_link_uses",
    METADATA,
    row_id(),
    Column("link_id", Text, ForeignKey("payment_links.id"), nullable=False),
    # A form that is submitted twice, by a double click or a reload, is one use.
    Column("nonce", Text, nullable=False),
    Column("intent_id", BigInteger, nullable=False, unique=True),
    Column("at", BigInteger, nullable=False),
    # A keyed digest of the payer's network address.
    Column("payer", Text, nullable=False, server_default=""),
    UniqueConstraint("link_id", "nonce", name="payment_link_uses_once"),
)
Index("payment_link_uses_newest", payment_link_uses.c.link_id, payment_link_uses.c.id)
Index("payment_link_uses_by_time", payment_link_uses.c.link_id, payment_link_uses.c.at)
Index("payment_link_uses_of_payer", payment_link_uses.c.payer, payment_link_uses.c.at)

branding = Table(
    "branding",
    METADATA,
    Column("client_id", Text, ForeignKey("clients.id"), primary_key=True),
    Column("logo", LargeBinary, nullable=False),
    Column("logo_type", Text, nullable=False),
    Column("digest", Text, nullable=False, index=True),
    Column("frames", Text, nullable=False),
)
