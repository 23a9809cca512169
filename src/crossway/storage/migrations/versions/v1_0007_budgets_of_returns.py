"""What returns may still cost on each chain, and an index of dust at deposit addresses."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0007"
down_revision = "v1_0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "return_budgets",
        sa.Column("chain", sa.Text(), nullable=False),
        sa.Column("earned_micro_usd", sa.BigInteger(), nullable=False),
        sa.Column("allowance_micro_usd", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("chain"),
    )
    op.create_index(
        "address_balances_dust",
        "address_balances",
        ["chain", "intent_id"],
        sqlite_where=sa.text("dust <> '0'"),
        postgresql_where=sa.text("dust <> '0'"),
    )


def downgrade() -> None:
    op.drop_index("address_balances_dust")
    op.drop_table("return_budgets")
