"""Indexes of lists by creation; since when a webhook has events that it had not from the start."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0026"
down_revision = "v1_0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column = sa.Column("later_events", sa.Text(), server_default="{}", nullable=False)
    op.add_column("webhooks", column)
    op.create_index("orders_by_creation", "orders", ["created_at", "id"])
    columns = ["webhook_id", "created_at", "id"]
    op.create_index("deliveries_by_creation", "deliveries", columns)


def downgrade() -> None:
    op.drop_index("deliveries_by_creation", table_name="deliveries")
    op.drop_index("orders_by_creation", table_name="orders")
    op.drop_column("webhooks", "later_events")
