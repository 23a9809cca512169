"""Indexes that lists follow: of an owner's payments and ramp orders, and of failed deliveries."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0033"
down_revision = "v1_0029"
branch_labels = None
depends_on = None
_OF_CLIENTS = ("intents", "orders")


def upgrade() -> None:
    for table in _OF_CLIENTS:
        op.drop_index(f"{table}_of_client", table_name=table)
        op.create_index(f"{table}_of_client", table, ["client_id", "mode", "id"])
    failed = sa.text("state = 'FAILED'")
    op.create_index(
        "deliveries_failed",
        "deliveries",
        ["webhook_id", "id"],
        sqlite_where=failed,
        postgresql_where=failed,
    )


def downgrade() -> None:
    op.drop_index("deliveries_failed", table_name="deliveries")
    for table in _OF_CLIENTS:
        op.drop_index(f"{table}_of_client", table_name=table)
        op.create_index(f"{table}_of_client", table, ["client_id", "id"])
