"""The bridges of the simulated network: their contracts' events, attestations, deposits, faults."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0015"
down_revision = "v1_0014"
branch_labels = None
depends_on = None


def _id() -> sa.Column[int]:
    return sa.Column(
        "id",
        sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
        autoincrement=True,
        nullable=False,
    )


def upgrade() -> None:
    _create_events()
    op.create_table(
        "sim_attestations",
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("tag", sa.BigInteger(), nullable=False),
        sa.Column("message", sa.LargeBinary(), nullable=False),
        sa.Column("ready_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("message_id"),
    )
    op.create_index("ix_sim_attestations_tag", "sim_attestations", ["tag"])
    op.create_table(
        "sim_across_deposits",
        _id(),
        sa.Column("chain", sa.Text(), nullable=False),
        sa.Column("block_height", sa.BigInteger(), nullable=False),
        sa.Column("intent_hash", sa.Text(), nullable=False),
        sa.Column("destination", sa.Text(), nullable=False),
        sa.Column("fill_deadline", sa.Double(), nullable=False),
        sa.Column("due_at", sa.Double(), nullable=True),
        sa.Column("refunded", sa.Boolean(), nullable=False),
        sa.Column("call", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    for column in ("intent_hash", "due_at"):
        op.create_index(f"ix_sim_across_deposits_{column}", "sim_across_deposits", [column])
    op.create_index(
        "sim_across_deposits_by_block", "sim_across_deposits", ["chain", "block_height"]
    )
    op.create_table(
        "sim_bridge_faults",
        sa.Column("bridge", sa.Text(), nullable=False),
        sa.Column("late_seconds", sa.Double(), nullable=False),
        sa.Column("exhausted_allowance", sa.Boolean(), nullable=False),
        sa.Column("expired_messages", sa.Boolean(), nullable=False),
        sa.Column("unfilled_deposits", sa.Boolean(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("wrong_answer", sa.Text(), nullable=False),
        sa.Column("silent", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("bridge"),
    )


def _create_events() -> None:
    op.create_table(
        "sim_bridge_events",
        _id(),
        sa.Column("chain", sa.Text(), nullable=False),
        sa.Column("block_height", sa.BigInteger(), nullable=False),
        sa.Column("tx_tag", sa.BigInteger(), nullable=False),
        sa.Column("tx_id", sa.Text(), nullable=False),
        sa.Column("tag", sa.BigInteger(), nullable=False),
        sa.Column("intent_hash", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("contract", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("outcome", sa.Integer(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("got", sa.Text(), nullable=False),
        sa.Column("paid", sa.Text(), nullable=False),
        sa.Column("credited", sa.Text(), nullable=False),
        sa.Column("payee", sa.Text(), nullable=False),
        sa.Column("message", sa.LargeBinary(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    for column in ("tx_tag", "tag"):
        op.create_index(f"ix_sim_bridge_events_{column}", "sim_bridge_events", [column])
    op.create_index("sim_bridge_events_by_block", "sim_bridge_events", ["chain", "block_height"])


def downgrade() -> None:
    for table in (
        "sim_bridge_faults",
        "sim_across_deposits",
        "sim_attestations",
        "sim_bridge_events",
    ):
        op.drop_table(table)
