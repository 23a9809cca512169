"""The tables of staff members, their sessions, second factors and preferences."""

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
    Column("proven_at", BigInteger),
    Column("browser", Text, nullable=False, server_default=""),
)

staff_authenticators = Table(
    "staff_authenticators",
    METADATA,
    Column("member_id", BigInteger, ForeignKey("staff.id"), primary_key=True, autoincrement=False),
    Column("encrypted_secret", LargeBinary, nullable=False),
    # A code is taken once: the step of time of the last one.
    Column("last_step", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)

staff_passkeys = Table(
    "staff_passkeys",
    METADATA,
    row_id(),
    Column("member_id", BigInteger, ForeignKey("staff.id"), nullable=False, index=True),
    Column("credential_id", Text, nullable=False, unique=True),
    Column("public_key", LargeBinary, nullable=False),
    Column("sign_count", BigInteger, nullable=False),
    Column("name", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("last_used_at", BigInteger),
)

staff_recovery_codes = Table(
    "staff_recovery_codes",
    METADATA,
    Column("code_hash", Text, primary_key=True),
    Column("member_id", BigInteger, ForeignKey("staff.id"), nullable=False, index=True),
    Column("used_at", BigInteger),
)

table_preferences = Table(
    "table_preferences",
    METADATA,
    # 0 where nobody has to sign in: there is one operator.
    Column("staff_id", BigInteger, primary_key=True, autoincrement=False),
    Column("list_name", Text, primary_key=True),
    Column("columns", Text, nullable=False),
    Column("sort", Text, nullable=False),
)
