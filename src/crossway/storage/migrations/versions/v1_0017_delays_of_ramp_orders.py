"""Why a ramp order is late, and that its provider closed it while its crypto was on the way."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0017"
down_revision = "v1_0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("orders", sa.Column("delay_reason", sa.Text(), server_default="", nullable=False))
    op.add_column("orders", sa.Column("provider_closed_at", sa.BigInteger()))


def downgrade() -> None:
    op.drop_column("orders", "provider_closed_at")
    op.drop_column("orders", "delay_reason")
