"""Approvals by a second person."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0021"
down_revision = "v1_0020"
branch_labels = None
depends_on = None

_OPEN = "state IN ('REQUESTED', 'APPROVED')"


def upgrade() -> None:
    op.create_table(
        "approvals",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("kind", "subject", "detail")),
        sa.Column("micro_usd", sa.BigInteger(), nullable=True),
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in ("state", "requester", "requester_identity")
        ),
        *(
            sa.Column(name, sa.BigInteger(), nullable=False)
            for name in ("requested_at", "expires_at")
        ),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("decider", "decider_identity")),
        sa.Column("decided_at", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "approvals_open",
        "approvals",
        ["kind", "subject"],
        unique=True,
        sqlite_where=sa.text(_OPEN),
        postgresql_where=sa.text(_OPEN),
    )


def downgrade() -> None:
    op.drop_table("approvals")
