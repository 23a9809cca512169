"""The tables of the operator's controls on outgoing money: approvals, address book and caps."""

from typing import Final

from sqlalchemy import BigInteger, Column, Table, Text

from crossway.storage.partial_indexes import partial_index
from crossway.storage.tables import METADATA, row_id

IS_OPEN: Final = "state IN ('REQUESTED', 'APPROVED')"

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
