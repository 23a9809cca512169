"""The tables of the installation's people and of their being signed in."""

from sqlalchemy import BigInteger, Column, ForeignKey, LargeBinary, Table, Text

from crossway.storage.tables import METADATA, row_id

# Numbers are never used again: the audit log names people by them.
staff = Table(
    "staff",
    METADATA,
    row_id(),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("password_hash", Text, nullable=False),
    Column("email_index", Text, unique=True),
    Column("email_sealed", LargeBinary),
    Column("created_at", BigInteger, nullable=False),
    Column("disabled_at", BigInteger),
    Column("seen_at", BigInteger),
    Column("way", Text),
    sqlite_autoincrement=True,
)

staff_stays = Table(
    "staff_stays",
    METADATA,
    row_id(),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("member_id", BigInteger, ForeignKey("staff.id"), index=True),
    Column("way", Text, nullable=False),
    # What another provider said once lets in once.
    Column("proof", Text, unique=True),
    Column("began_at", BigInteger, nullable=False, index=True),
    Column("seen_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
)
