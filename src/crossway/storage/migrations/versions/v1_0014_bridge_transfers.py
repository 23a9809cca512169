"""Bridge transfers, and who has the custody of a payment from start to payout."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0014"
down_revision = "v1_0013"
branch_labels = None
depends_on = None

_OPEN = "state IN ('SEEN', 'DELAYED', 'HALTED', 'OVERDUE', 'EXPIRED', 'CLAIMABLE')"


def upgrade() -> None:
    op.add_column(
        "intents", sa.Column("custody", sa.Text(), server_default="OPERATOR", nullable=False)
    )
    op.create_table(
        "bridge_transfers",
        sa.Column("intent_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("bridge", sa.Text(), nullable=False),
        sa.Column("source_chain", sa.Text(), nullable=False),
        sa.Column("destination_chain", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("source_tx", sa.Text(), nullable=False),
        sa.Column("destination_tx", sa.Text(), nullable=False),
        sa.Column("sent_message", sa.LargeBinary(), nullable=False),
        sa.Column("message", sa.LargeBinary(), nullable=False),
        sa.Column("attestation", sa.LargeBinary(), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=True),
        sa.Column("expected_at", sa.BigInteger(), nullable=True),
        sa.Column("next_at", sa.BigInteger(), nullable=False),
        sa.Column("ask_at", sa.BigInteger(), nullable=True),
        sa.Column("poll_count", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("intent_id"),
    )
    op.create_index(
        "bridge_transfers_open",
        "bridge_transfers",
        ["source_chain", "next_at"],
        sqlite_where=sa.text(_OPEN),
        postgresql_where=sa.text(_OPEN),
    )
    op.create_table(
        "bridge_steps",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("intent_id", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("tx", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_bridge_steps_intent_id", "bridge_steps", ["intent_id"])


def downgrade() -> None:
    """Refused while payments are carried by bridges: their money would be forgotten."""
    carried = op.get_bind().execute(sa.text("SELECT count(*) FROM bridge_transfers")).scalar()
    if carried:
        raise RuntimeError(f"{carried} payments are carried by bridges: they would be lost")
    op.drop_table("bridge_steps")
    op.drop_table("bridge_transfers")
    op.drop_column("intents", "custody")
