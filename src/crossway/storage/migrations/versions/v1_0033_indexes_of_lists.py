"""Indexes that lists follow, of owners and failed deliveries; and fewer entries in three others.

What most payments have in common with another column is found by that column's index.
"""

import sqlalchemy as sa
from alembic import op

revision = "v1_0033"
down_revision = "v1_0029"
branch_labels = None
depends_on = None
_OF_CLIENTS = ("intents", "orders")
# Table, name, columns, condition.
_PARTIAL = (
    ("deliveries", "deliveries_failed", ["webhook_id", "id"], "state = 'FAILED'"),
    ("intents", "intents_by_payout", ["tx_hash"], "tx_hash IS NOT NULL"),
    (
        "intents",
        "intents_by_destination_address",
        ["destination_address"],
        "destination_address <> address",
    ),
    ("intents", "intents_by_refund_address", ["refund_address", "id"], "refund_address <> sender"),
)
_WHOLE = (
    ("ix_intents_tx_hash", ["tx_hash"]),
    ("ix_intents_destination_address", ["destination_address"]),
    ("intents_by_refund_address", ["refund_address", "id"]),
)


def upgrade() -> None:
    for table in _OF_CLIENTS:
        op.drop_index(f"{table}_of_client", table_name=table)
        op.create_index(f"{table}_of_client", table, ["client_id", "mode", "id"])
    for name, _ in _WHOLE:
        op.drop_index(name, table_name="intents")
    for table, name, columns, condition in _PARTIAL:
        of = sa.text(condition)
        op.create_index(name, table, columns, sqlite_where=of, postgresql_where=of)


def downgrade() -> None:
    for table, name, _, _ in _PARTIAL:
        op.drop_index(name, table_name=table)
    for name, columns in _WHOLE:
        op.create_index(name, "intents", columns)
    for table in _OF_CLIENTS:
        op.drop_index(f"{table}_of_client", table_name=table)
        op.create_index(f"{table}_of_client", table, ["client_id", "id"])
