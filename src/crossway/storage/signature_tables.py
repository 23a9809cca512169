"""The tables of payers' signatures, and of payments that are offered for one (x402)."""

from typing import Final

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, Table, Text

from crossway.storage.partial_indexes import partial_index
from crossway.storage.tables import METADATA, row_id

payer_signatures: Final = Table(
    "payer_signatures",
    METADATA,
    row_id(),
    Column("intent_id", BigInteger, nullable=False),
    Column("standard", Text, nullable=False),
    Column("chain", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("payer", Text, nullable=False),
    Column("to_address", Text, nullable=False),
    Column("amount", Text, nullable=False),
    Column("valid_after", Text, nullable=False),
    Column("valid_before", Text, nullable=False),
    Column("nonce", Text, nullable=False),
    Column("signature", LargeBinary, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("tx_id", Text),
    Column("revert_count", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)
Index("payer_signatures_of_intent", payer_signatures.c.intent_id)
Index(
    "payer_signatures_nonce",
    *(payer_signatures.c[name] for name in ("chain", "token", "payer", "nonce")),
    unique=True,
)
x402_offers: Final = Table(
    "x402_offers",
    METADATA,
    Column("intent_id", BigInteger, primary_key=True, autoincrement=False),
    Column("created_at", BigInteger, nullable=False),
)
partial_index(
    "payer_signatures_reverted",
    payer_signatures.c.chain,
    payer_signatures.c.updated_at,
    where="revert_count > 0",
)
