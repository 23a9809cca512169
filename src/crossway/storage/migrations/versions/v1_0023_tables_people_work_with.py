"""Snoozed and assigned alerts, and the columns and order that a person chose for a list."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0023"
down_revision = "v1_0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("alerts", "resolved_alerts"):
        op.add_column(table, sa.Column("assigned_to", sa.Text(), server_default="", nullable=False))
    op.add_column("alerts", sa.Column("snoozed_until", sa.BigInteger(), nullable=True))
    op.create_table(
        "table_preferences",
        sa.Column("staff_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("list_name", sa.Text(), nullable=False),
        sa.Column("columns", sa.Text(), nullable=False),
        sa.Column("sort", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("staff_id", "list_name"),
    )


def downgrade() -> None:
    op.drop_table("table_preferences")
    for table in ("resolved_alerts", "alerts"):
        op.drop_column(table, "assigned_to")
    op.drop_column("alerts", "snoozed_until")
