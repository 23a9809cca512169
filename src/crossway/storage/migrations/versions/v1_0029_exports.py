"""Adds exports, and the chunks of their files."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0029"
down_revision = "v1_0028"
branch_labels = None
depends_on = None


def _row_id() -> sa.Column[int]:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return sa.Column("id", number, primary_key=True, autoincrement=True, nullable=False)


def upgrade() -> None:
    texts = ("client_id", "mode", "resource", "format", "filters", "state")
    numbers = ("before_id", "lowest_id", "place", "rows")
    op.create_table(
        "exports",
        _row_id(),
        *(sa.Column(name, sa.Text(), nullable=False) for name in texts),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in numbers),
        sa.Column("chunk_count", sa.Integer(), nullable=False),
        sa.Column("byte_count", sa.BigInteger(), nullable=False),
        sa.Column("attempt_count", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger()),
        sa.Column("leased_until", sa.BigInteger(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_exports_expires_at", "exports", ["expires_at"])
    op.create_index("exports_of_client", "exports", ["client_id", "mode", "id"])
    is_open = sa.text("state IN ('PENDING', 'RUNNING')")
    op.create_index(
        "exports_open", "exports", ["id"], sqlite_where=is_open, postgresql_where=is_open
    )
    op.create_table(
        "export_chunks",
        _row_id(),
        sa.Column("export_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("encrypted_content", sa.LargeBinary(), nullable=False),
    )
    op.create_index("export_chunks_in_order", "export_chunks", ["export_id", "number"], unique=True)


def downgrade() -> None:
    op.drop_table("export_chunks")
    op.drop_table("exports")
