"""Inventory that bridges move for payments, and the simulated services that do."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0018"
down_revision = "v1_0017"
branch_labels = None
depends_on = None

_OPEN = "state IN ('PLANNED', 'AGREED', 'SENDING', 'SENT', 'OVERDUE', 'DELIVERED')"
_FAULTS = ("refused", "unexecuted", "returned")


def upgrade() -> None:
    _create_transfers()
    op.create_table(
        "sim_inventory_orders",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("bridge", sa.Text(), nullable=False),
        sa.Column("source_chain", sa.Text(), nullable=False),
        sa.Column("destination_chain", sa.Text(), nullable=False),
        sa.Column("amount", sa.Text(), nullable=False),
        sa.Column("source_amount", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("due_at", sa.Double(), nullable=True),
        sa.Column("released", sa.Boolean(), nullable=False),
        sa.Column("paid_chain", sa.Text(), nullable=False),
        sa.Column("paid_tx", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("ix_sim_inventory_orders_bridge", "sim_inventory_orders", ["bridge"])
    for name in _FAULTS:
        op.add_column(
            "sim_bridge_faults",
            sa.Column(name, sa.Boolean(), server_default=sa.false(), nullable=False),
        )


def _create_transfers() -> None:
    op.create_table(
        "inventory_transfers",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("intent_id", sa.BigInteger(), nullable=False),
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in (
                "bridge",
                "kind",
                "source_chain",
                "destination_chain",
                "source_token",
                "destination_token",
                "amount",
                "source_amount",
                "state",
            )
        ),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("commitment", sa.LargeBinary(), nullable=False),
        sa.Column("agreement", sa.LargeBinary(), nullable=False),
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in ("reference", "source_tx", "destination_tx", "reason")
        ),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("expected_at", sa.BigInteger(), nullable=True),
        *(
            sa.Column(name, sa.BigInteger(), nullable=False)
            for name in ("next_at", "created_at", "updated_at")
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("intent_id", "kind"),
    )
    for name, column, condition in (
        ("open", "source_chain", _OPEN),
        ("minting", "destination_chain", f"kind = 'MINT' AND {_OPEN}"),
    ):
        op.create_index(
            f"inventory_transfers_{name}",
            "inventory_transfers",
            [column, "next_at"],
            sqlite_where=sa.text(condition),
            postgresql_where=sa.text(condition),
        )


def downgrade() -> None:
    """Refused while a bridge has inventory on its way: it would be forgotten."""
    moved = op.get_bind().execute(sa.text("SELECT count(*) FROM inventory_transfers")).scalar()
    if moved:
        raise RuntimeError(f"bridges move inventory for payments ({moved} times): it would be lost")
    for name in _FAULTS:
        op.drop_column("sim_bridge_faults", name)
    op.drop_table("sim_inventory_orders")
    op.drop_table("inventory_transfers")
