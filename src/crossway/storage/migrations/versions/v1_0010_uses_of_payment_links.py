"""Uses of payment links count what was paid, open payments reserve them, and payments that nobody
paid are archived."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0010"
down_revision = "v1_0009"
branch_labels = None
depends_on = None

_COUNT = (
    "(SELECT count(*) FROM payment_link_uses u JOIN intents i ON i.id = u.intent_id "
    "WHERE u.link_id = payment_links.id AND i.state IN ({}))"
)
_UNPAID = "state = 'EXPIRED' AND received_amount = '0' AND order_id IS NULL"
_PAID, _OPEN = "'FUNDED', 'INITIATED', 'COMPLETED', 'FAILED'", "'PENDING'"


def upgrade() -> None:
    op.add_column(
        "intents",
        sa.Column("by_payer", sa.Boolean(), server_default="0", nullable=False),
    )
    op.add_column(
        "payment_links",
        sa.Column("reserved", sa.BigInteger(), server_default="0", nullable=False),
    )
    op.add_column(
        "payment_link_uses", sa.Column("payer", sa.Text(), server_default="", nullable=False)
    )
    op.add_column(
        "open_pairs",
        sa.Column("unpaid_micro_usd", sa.BigInteger(), server_default="0", nullable=False),
    )
    op.create_index("payment_link_uses_by_time", "payment_link_uses", ["link_id", "at"])
    op.create_index("payment_link_uses_of_payer", "payment_link_uses", ["payer", "at"])
    op.create_table(
        "archived_payments",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("destination_address", sa.Text(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("address"),
    )
    op.create_index(
        "ix_archived_payments_destination_address", "archived_payments", ["destination_address"]
    )
    op.create_index(
        "intents_unpaid",
        "intents",
        ["expires_at"],
        sqlite_where=sa.text(_UNPAID),
        postgresql_where=sa.text(_UNPAID),
    )
    op.execute(
        "UPDATE intents SET by_payer = true WHERE id IN (SELECT intent_id FROM payment_link_uses)"
    )
    op.execute(
        f"UPDATE payment_links SET uses = {_COUNT.format(_PAID)}, reserved = {_COUNT.format(_OPEN)}"
    )
    op.execute(
        "UPDATE open_pairs SET unpaid_micro_usd = COALESCE((SELECT sum(amount_micro_usd) "
        "FROM intents WHERE by_payer AND state = 'PENDING' "
        "AND asset_symbol = open_pairs.symbol_in AND out_symbol = open_pairs.symbol_out), 0)"
    )


def downgrade() -> None:
    """Refused while payments are archived: their addresses would be forgotten."""
    archived = op.get_bind().execute(sa.text("SELECT count(*) FROM archived_payments")).scalar()
    if archived:
        raise RuntimeError(f"{archived} payments are archived: they would be lost")
    op.drop_index("intents_unpaid", table_name="intents")
    op.drop_table("archived_payments")
    op.execute(
        "UPDATE payment_links SET uses = (SELECT count(*) FROM payment_link_uses u "
        "WHERE u.link_id = payment_links.id)"
    )
    op.drop_index("payment_link_uses_of_payer", table_name="payment_link_uses")
    op.drop_index("payment_link_uses_by_time", table_name="payment_link_uses")
    op.drop_column("open_pairs", "unpaid_micro_usd")
    op.drop_column("payment_link_uses", "payer")
    op.drop_column("payment_links", "reserved")
    op.drop_column("intents", "by_payer")
