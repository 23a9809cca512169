"""Adds payers' signatures."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0043"
down_revision = "v1_0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    asked = ("standard", "chain", "token", "payer", "to_address", "amount")
    limits = ("valid_after", "valid_before", "nonce")
    op.create_table(
        "payer_signatures",
        sa.Column("id", number, primary_key=True, autoincrement=True, nullable=False),
        sa.Column("intent_id", sa.BigInteger(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in (*asked, *limits)),
        sa.Column("signature", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("tx_id", sa.Text()),
        sa.Column("revert_count", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("payer_signatures_of_intent", "payer_signatures", ["intent_id"])
    op.create_index(
        "payer_signatures_nonce",
        "payer_signatures",
        ["chain", "token", "payer", "nonce"],
        unique=True,
    )
    reverted = sa.text("revert_count > 0")
    op.create_index(
        "payer_signatures_reverted",
        "payer_signatures",
        ["chain", "updated_at"],
        sqlite_where=reverted,
        postgresql_where=reverted,
    )


def downgrade() -> None:
    op.drop_table("payer_signatures")
