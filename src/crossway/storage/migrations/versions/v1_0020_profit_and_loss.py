"""Profit and loss: prices of the ledger by the hour, and results by day."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0020"
down_revision = "v1_0019"
branch_labels = None
depends_on = None


def _text(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]


def upgrade() -> None:
    op.create_table(
        "ledger_prices",
        sa.Column("hour", sa.BigInteger(), nullable=False),
        *_text("symbol", "pico_usd"),
        sa.PrimaryKeyConstraint("hour", "symbol"),
        sqlite_with_rowid=False,
    )
    parties = ("client_id", "mode", "source", "destination", "bridge")
    keys = ("line", "chain", "token", "origin", *parties)
    op.create_table(
        "daily_results",
        sa.Column("day", sa.BigInteger(), nullable=False),
        *_text(*keys, "units", "nano_usd", "unpriced"),
        sa.PrimaryKeyConstraint("day", *keys),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "profit_progress",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("posting_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )


def downgrade() -> None:
    for name in ("profit_progress", "daily_results", "ledger_prices"):
        op.drop_table(name)
