"""The network costs in a payment's fees; nothing is known of older payments."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0006"
down_revision = "v1_0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "intents", sa.Column("network_fee_units", sa.Text(), server_default="0", nullable=False)
    )


def downgrade() -> None:
    op.drop_column("intents", "network_fee_units")
