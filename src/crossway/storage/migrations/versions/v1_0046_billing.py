"""Adds invoices, subscriptions, and the mails about them."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0046"
down_revision = "v1_0045"
branch_labels = None
depends_on = None


def _row_id() -> sa.Column[int]:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return sa.Column("id", number, primary_key=True, autoincrement=True, nullable=False)


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]


def _numbers(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger(), nullable=False) for name in names]


def _small(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.Integer(), nullable=False) for name in names]


def _partial(name: str, table: str, column: str, where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, table, [column], sqlite_where=condition, postgresql_where=condition)


def upgrade() -> None:
    op.create_table(
        "subscriptions",
        _row_id(),
        *_texts("name", "client_id", "mode", "state", "reason", "content", "link", "interval"),
        *_small("every"),
        *_texts("first_date", "time_zone"),
        *_small("lead_days"),
        sa.Column("periods", sa.BigInteger()),
        *_small("max_unpaid"),
        *_numbers("next_period"),
        sa.Column("next_at", sa.BigInteger()),
        *_numbers("skipped", "created_at", "updated_at"),
        sa.ForeignKeyConstraint(["client_id"], ["clients.id"]),
        sa.UniqueConstraint("name"),
    )
    op.create_index("subscriptions_of_client", "subscriptions", ["client_id", "id"])
    _partial("subscriptions_due", "subscriptions", "next_at", "next_at IS NOT NULL")
    op.create_table(
        "invoices",
        _row_id(),
        *_texts("name", "client_id", "mode"),
        *_numbers("sequence"),
        *_texts("payment_link_id"),
        sa.Column("subscription_id", sa.BigInteger()),
        sa.Column("period", sa.BigInteger()),
        *_texts("state", "total", "content", "due_date", "time_zone"),
        *_numbers("due_at"),
        *_small("reminders"),
        sa.Column("remind_at", sa.BigInteger()),
        *_numbers("issued_at", "updated_at"),
        sa.Column("paid_at", sa.BigInteger()),
        sa.ForeignKeyConstraint(["client_id"], ["clients.id"]),
        sa.ForeignKeyConstraint(["payment_link_id"], ["payment_links.id"]),
        sa.ForeignKeyConstraint(["subscription_id"], ["subscriptions.id"]),
        sa.UniqueConstraint("name"),
        sa.UniqueConstraint("payment_link_id"),
        sa.UniqueConstraint("client_id", "mode", "sequence", name="invoices_number"),
        sa.UniqueConstraint("subscription_id", "period", name="invoices_period"),
    )
    op.create_index("invoices_of_client", "invoices", ["client_id", "id"])
    _partial("invoices_open", "invoices", "id", "state = 'open'")
    _partial("invoices_to_remind", "invoices", "remind_at", "remind_at IS NOT NULL")
    op.create_table(
        "mails",
        _row_id(),
        *_texts("cause", "state", "message"),
        *_small("attempt_count"),
        *_texts("error"),
        *_numbers("next_at", "created_at", "updated_at"),
        sa.UniqueConstraint("cause"),
    )
    _partial("mails_due", "mails", "next_at", "state = 'due'")


def downgrade() -> None:
    op.drop_table("mails")
    op.drop_table("invoices")
    op.drop_table("subscriptions")
