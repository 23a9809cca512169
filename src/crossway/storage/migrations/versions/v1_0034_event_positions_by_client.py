"""Positions of events are unique for each client instead of for all.

Positions that were given stay: those of a client go on behind its highest.
"""

import sqlalchemy as sa
from alembic import op

revision = "v1_0034"
down_revision = "v1_0033"
branch_labels = None
depends_on = None
# The constraint has no name of ours. PostgreSQL calls it so. SQLite cannot drop one; in the table
# that takes its place it is called the same.
_NAME = "outbox_position_key"
_NAMES = {"uq": "%(table_name)s_%(column_0_name)s_key"}


def upgrade() -> None:
    op.drop_index("outbox_of_client", table_name="outbox")
    with op.batch_alter_table("outbox", naming_convention=_NAMES) as batch:
        batch.drop_constraint(_NAME, type_="unique")
    op.create_index("outbox_of_client", "outbox", ["client_id", "position"], unique=True)


def downgrade() -> None:
    op.drop_index("outbox_of_client", table_name="outbox")
    # Those of several clients may be equal: all events get new ones, in the order that they had.
    op.execute(
        sa.text(
            "WITH placed AS (SELECT id, row_number() OVER (ORDER BY position, id) AS place "
            "FROM outbox WHERE position IS NOT NULL) "
            "UPDATE outbox SET position = (SELECT place FROM placed WHERE placed.id = outbox.id) "
            "WHERE position IS NOT NULL"
        )
    )
    op.create_index("outbox_of_client", "outbox", ["client_id", "position"])
    with op.batch_alter_table("outbox") as batch:
        batch.create_unique_constraint(_NAME, ["position"])
