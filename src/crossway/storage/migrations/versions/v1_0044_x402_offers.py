"""Adds the payments that were offered for a signature (x402)."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0044"
down_revision = "v1_0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "x402_offers",
        sa.Column("intent_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("x402_offers")
