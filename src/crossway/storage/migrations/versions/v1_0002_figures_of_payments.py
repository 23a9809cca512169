"""Figures of payments, and their sums by hour and day."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0002"
down_revision = "v1_0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "analytics_cursor",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("transition_id", sa.BigInteger(), nullable=False),
        sa.Column("posting_id", sa.BigInteger(), nullable=False),
        sa.Column("backfill_end", sa.BigInteger(), nullable=False),
        sa.Column("backfill_from", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "group_figures",
        sa.Column("dimension", sa.Text(), nullable=False),
        sa.Column("span", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("pending", sa.BigInteger(), nullable=False),
        sa.Column("funded", sa.BigInteger(), nullable=False),
        sa.Column("initiated", sa.BigInteger(), nullable=False),
        sa.Column("completed", sa.BigInteger(), nullable=False),
        sa.Column("expired", sa.BigInteger(), nullable=False),
        sa.Column("refunded", sa.BigInteger(), nullable=False),
        sa.Column("failed", sa.BigInteger(), nullable=False),
        sa.Column("deposited", sa.BigInteger(), nullable=False),
        sa.Column("started", sa.BigInteger(), nullable=False),
        sa.Column("underpaid", sa.BigInteger(), nullable=False),
        sa.Column("requested_whole", sa.BigInteger(), nullable=False),
        sa.Column("requested_rest", sa.BigInteger(), nullable=False),
        sa.Column("volume_whole", sa.BigInteger(), nullable=False),
        sa.Column("volume_rest", sa.BigInteger(), nullable=False),
        sa.Column("service_fee_micro_usd", sa.BigInteger(), nullable=False),
        sa.Column("bridge_fee_micro_usd", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("dimension", "span", "mode", "number", "value"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "group_network_fees",
        sa.Column("dimension", sa.Text(), nullable=False),
        sa.Column("span", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("chain", sa.Text(), nullable=False),
        sa.Column("whole", sa.BigInteger(), nullable=False),
        sa.Column("rest", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("dimension", "span", "mode", "number", "value", "chain"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "other_network_fees",
        sa.Column("intent_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("chain", sa.Text(), nullable=False),
        sa.Column("whole", sa.BigInteger(), nullable=False),
        sa.Column("rest", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("intent_id", "chain"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "payment_figures",
        sa.Column(
            "intent_id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("hour", sa.BigInteger(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("source_chain", sa.Text(), nullable=False),
        sa.Column("destination_chain", sa.Text(), nullable=False),
        sa.Column("bridge", sa.Text(), nullable=False),
        sa.Column("symbol", sa.Text(), nullable=False),
        sa.Column("decimals", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("bucket", sa.Integer(), nullable=True),
        sa.Column("deposited", sa.Boolean(), nullable=False),
        sa.Column("started", sa.Boolean(), nullable=False),
        sa.Column("underpaid", sa.Boolean(), nullable=False),
        sa.Column("requested_micro_usd", sa.BigInteger(), nullable=False),
        sa.Column("service_fee_micro_usd", sa.BigInteger(), nullable=False),
        sa.Column("bridge_fee_micro_usd", sa.BigInteger(), nullable=False),
        sa.Column("source_fee_whole", sa.BigInteger(), nullable=False),
        sa.Column("source_fee_rest", sa.BigInteger(), nullable=False),
        sa.Column("destination_fee_whole", sa.BigInteger(), nullable=False),
        sa.Column("destination_fee_rest", sa.BigInteger(), nullable=False),
        sa.Column("deposit_units", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("intent_id"),
    )
    op.create_table(
        "route_durations",
        sa.Column("span", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("bucket", sa.Integer(), nullable=False),
        sa.Column("payments", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("span", "mode", "number", "value", "bucket"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "token_deposits",
        sa.Column("span", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("symbol", sa.Text(), nullable=False),
        sa.Column("decimals", sa.Integer(), nullable=False),
        sa.Column("units", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("span", "mode", "number", "symbol", "decimals"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("token_deposits")
    op.drop_table("route_durations")
    op.drop_table("payment_figures")
    op.drop_table("other_network_fees")
    op.drop_table("group_network_fees")
    op.drop_table("group_figures")
    op.drop_table("analytics_cursor")
