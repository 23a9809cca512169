"""The epoch of each lease, by which an engine that lost it is told from the one that holds it."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0003"
down_revision = "v1_0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("leases", sa.Column("epoch", sa.BigInteger(), server_default="0", nullable=False))


def downgrade() -> None:
    op.drop_column("leases", "epoch")
