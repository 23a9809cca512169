"""Second factors of staff, and of each session when it was last proven, and its browser."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0013"
down_revision = "v1_0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "staff_authenticators",
        sa.Column("member_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("encrypted_secret", sa.LargeBinary(), nullable=False),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["member_id"], ["staff.id"]),
        sa.PrimaryKeyConstraint("member_id"),
    )
    op.create_table(
        "staff_passkeys",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("member_id", sa.BigInteger(), nullable=False),
        sa.Column("credential_id", sa.Text(), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["member_id"], ["staff.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("credential_id"),
    )
    op.create_index("ix_staff_passkeys_member_id", "staff_passkeys", ["member_id"])
    op.create_table(
        "staff_recovery_codes",
        sa.Column("code_hash", sa.Text(), nullable=False),
        sa.Column("member_id", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["member_id"], ["staff.id"]),
        sa.PrimaryKeyConstraint("code_hash"),
    )
    op.create_index("ix_staff_recovery_codes_member_id", "staff_recovery_codes", ["member_id"])
    op.add_column("staff_sessions", sa.Column("proven_at", sa.BigInteger(), nullable=True))
    op.add_column(
        "staff_sessions", sa.Column("browser", sa.Text(), server_default="", nullable=False)
    )


def downgrade() -> None:
    op.drop_column("staff_sessions", "browser")
    op.drop_column("staff_sessions", "proven_at")
    op.drop_table("staff_recovery_codes")
    op.drop_table("staff_passkeys")
    op.drop_table("staff_authenticators")
