"""The tables of the operator's controls on outgoing money: approvals, address book and caps."""

from typing import Final

from sqlalchemy import BigInteger, Column, Table, Text

from crossway.storage.partial_indexes import partial_index
from crossway.storage.tables import METADATA, row_id

IS_OPEN: Final = "state = 'REQUESTED'"

# Ids are never reused: the audit log refers to approvals by them.
approvals = Table(
    "approvals",
    METADATA,
    row_id(),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("micro_usd", BigInteger),
    Column("state", Text, nullable=False),
    Column("requester", Text, nullable=False),
    Column("requester_identity", Text, nullable=False),
    Column("requested_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("decider", Text, nullable=False),
    Column("decider_identity", Text, nullable=False),
    Column("decided_at", BigInteger),
    Column("reason", Text, nullable=False),
    sqlite_autoincrement=True,
)
partial_index("approvals_open", approvals.c.kind, approvals.c.subject, where=IS_OPEN, unique=True)

# Ids are never reused: the audit log refers to entries by them.
address_book = Table(
    "address_book",
    METADATA,
    row_id(),
    Column("chain", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("added_by", Text, nullable=False),
    Column("added_at", BigInteger, nullable=False),
    Column("usable_at", BigInteger, nullable=False),
    Column("removed_at", BigInteger),
    Column("removed_by", Text, nullable=False),
    sqlite_autoincrement=True,
)
partial_index(
    "address_book_entries",
    address_book.c.chain,
    address_book.c.address,
    where="removed_at IS NULL",
    unique=True,
)

transfer_caps = Table(
    "transfer_caps",
    METADATA,
    Column("chain", Text, primary_key=True),
    Column("token", Text, primary_key=True),
    Column("amount", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

# What left us within each hour since 1970; the row of no chain says that no limit applied to it.
outgoing_hours = Table(
    "outgoing_hours",
    METADATA,
    Column("chain", Text, primary_key=True),
    Column("hour", BigInteger, primary_key=True),
    Column("micro_usd", BigInteger, nullable=False),
)

manual_transfers = Table(
    "manual_transfers",
    METADATA,
    row_id(),
    Column("chain", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("amount", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", BigInteger, nullable=False, index=True),
    Column("subject", Text, nullable=False),
)
