"""Adds an index of the figures of payments by client, from which its newest ones are read."""

from alembic import op

revision = "v1_0025"
down_revision = "v1_0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    columns = ["client_id", "mode", "intent_id"]
    op.create_index("payment_figures_of_client", "payment_figures", columns)


def downgrade() -> None:
    op.drop_index("payment_figures_of_client", table_name="payment_figures")
