"""The tables of staff members and their sessions."""

from sqlalchemy import BigInteger, Column, ForeignKey, LargeBinary, Table, Text

from crossway.storage.tables import METADATA, row_id

# Ids are never reused: the audit log refers to members by them.
staff = Table(
    "staff",
    METADATA,
    row_id(),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("password_hash", Text, nullable=False),
    Column("email_index", Text, unique=True),
    Column("encrypted_email", LargeBinary),
    Column("created_at", BigInteger, nullable=False),
    Column("disabled_at", BigInteger),
    Column("last_seen_at", BigInteger),
    Column("auth_method", Text),
    sqlite_autoincrement=True,
)

staff_sessions = Table(
    "staff_sessions",
    METADATA,
    row_id(),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("member_id", BigInteger, ForeignKey("staff.id"), index=True),
    Column("auth_method", Text, nullable=False),
    # An assertion of an identity provider signs in once.
    Column("assertion_id", Text, unique=True),
    Column("started_at", BigInteger, nullable=False, index=True),
    Column("last_seen_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
)
