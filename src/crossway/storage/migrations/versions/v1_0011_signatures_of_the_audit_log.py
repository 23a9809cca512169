"""Signatures of the entries of the audit log."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0011"
down_revision = "v1_0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("audit_log", sa.Column("mac", sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    op.drop_column("audit_log", "mac")
