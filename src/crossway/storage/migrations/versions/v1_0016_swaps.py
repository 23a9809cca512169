"""Swaps: what the start of a payment exchanges its deposit for."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0016"
down_revision = "v1_0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("intents", sa.Column("swap", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("intents", "swap")
