"""Rebalancing: policies, settings and transfers."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0019"
down_revision = "v1_0018"
branch_labels = None
depends_on = None

_OPEN = "state IN ('PROPOSED', 'STARTED')"


def _text(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]


def _big(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger(), nullable=False) for name in names]


def _small(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.Integer(), nullable=False) for name in names]


def upgrade() -> None:
    op.create_table(
        "rebalancing_policies",
        *_text("chain", "token", "minimum", "target", "maximum"),
        *_small("priority"),
        *_text("by"),
        *_big("at"),
        sa.PrimaryKeyConstraint("chain", "token"),
    )
    op.create_table(
        "rebalancing_settings",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        *_text("mode"),
        *_small("max_cost_bps"),
        *_big("max_cost_day_micro_usd", "smallest_micro_usd", "largest_micro_usd"),
        *_small("max_open_per_bridge", "cool_down_seconds", "begins_at", "ends_at"),
        *_big("approve_above_micro_usd"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "rebalancing_transfers",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        *_text("bridge", "kind", "source_chain", "source_token"),
        *_text("destination_chain", "destination_token", "amount", "max_source_amount"),
        *_big("micro_usd", "fee_micro_usd"),
        *_small("seconds"),
        sa.Column("is_urgent", sa.Boolean(), nullable=False),
        *_text("reason", "state", "proposed_by", "proposed_by_identity", "decided_by", "note"),
        *_big("created_at", "updated_at"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_rebalancing_transfers_created_at", "rebalancing_transfers", ["created_at"])
    op.create_index(
        "rebalancing_transfers_open",
        "rebalancing_transfers",
        ["id"],
        sqlite_where=sa.text(_OPEN),
        postgresql_where=sa.text(_OPEN),
    )


def downgrade() -> None:
    """Refused once inventory was moved: transactions and postings belong to these transfers."""
    query = sa.text("SELECT count(*) FROM rebalancing_transfers")
    if op.get_bind().execute(query).scalar():
        raise RuntimeError("inventory was rebalanced: what its postings belong to would be lost")
    for name in ("transfers", "settings", "policies"):
        op.drop_table(f"rebalancing_{name}")
