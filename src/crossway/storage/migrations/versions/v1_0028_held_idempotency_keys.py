"""Idempotency keys name the request that holds them, and until when."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0028"
down_revision = "v1_0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    holder = sa.Column("holder", sa.Text(), server_default="", nullable=False)
    op.add_column("idempotency_slots", holder)
    until = sa.Column("held_until", sa.BigInteger(), server_default="0", nullable=False)
    op.add_column("idempotency_slots", until)


def downgrade() -> None:
    op.drop_column("idempotency_slots", "held_until")
    op.drop_column("idempotency_slots", "holder")
