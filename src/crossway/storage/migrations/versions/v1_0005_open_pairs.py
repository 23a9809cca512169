"""Open payments by pair of tokens, for the limit of exposure to prices."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0005"
down_revision = "v1_0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "open_pairs",
        sa.Column("symbol_in", sa.Text(), nullable=False),
        sa.Column("symbol_out", sa.Text(), nullable=False),
        sa.Column("payments", sa.BigInteger(), nullable=False),
        sa.Column("micro_usd", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("symbol_in", "symbol_out"),
    )
    op.execute(
        "INSERT INTO open_pairs (symbol_in, symbol_out, payments, micro_usd) "
        "SELECT asset_symbol, out_symbol, count(*), sum(amount_micro_usd) FROM intents "
        "WHERE state IN ('PENDING', 'FUNDED', 'INITIATED') AND asset_symbol <> out_symbol "
        "GROUP BY asset_symbol, out_symbol"
    )


def downgrade() -> None:
    op.drop_table("open_pairs")
