"""Approvals by a second person, the address book, and daily caps of what is sent by hand."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "v1_0021"
down_revision = "v1_0020"
branch_labels = None
depends_on = None

_OPEN = "state = 'REQUESTED'"


def upgrade() -> None:
    _create_approvals()
    _create_address_book()
    op.create_table(
        "transfer_caps",
        *_columns(sa.Text(), "chain", "token", "amount", "by"),
        *_columns(sa.BigInteger(), "at"),
        sa.PrimaryKeyConstraint("chain", "token"),
    )
    op.create_table(
        "outgoing_hours",
        *_columns(sa.Text(), "chain"),
        *_columns(sa.BigInteger(), "hour", "micro_usd"),
        sa.PrimaryKeyConstraint("chain", "hour"),
    )
    op.create_table(
        "manual_transfers",
        _id(),
        *_columns(sa.Text(), "chain", "token", "amount", "by"),
        *_columns(sa.BigInteger(), "at"),
        *_columns(sa.Text(), "subject"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_manual_transfers_at", "manual_transfers", ["at"])


def _id() -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return sa.Column("id", kind, autoincrement=True, nullable=False)


def _columns(kind: sa.types.TypeEngine[Any], *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name in names]


def _create_approvals() -> None:
    op.create_table(
        "approvals",
        _id(),
        *_columns(sa.Text(), "kind", "subject", "detail"),
        sa.Column("micro_usd", sa.BigInteger(), nullable=True),
        *_columns(sa.Text(), "state", "requester", "requester_identity"),
        *_columns(sa.BigInteger(), "requested_at", "expires_at"),
        *_columns(sa.Text(), "decider", "decider_identity"),
        sa.Column("decided_at", sa.BigInteger(), nullable=True),
        *_columns(sa.Text(), "reason"),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "approvals_open",
        "approvals",
        ["kind", "subject"],
        unique=True,
        sqlite_where=sa.text(_OPEN),
        postgresql_where=sa.text(_OPEN),
    )


def _create_address_book() -> None:
    op.create_table(
        "address_book",
        _id(),
        *_columns(sa.Text(), "chain", "address", "name", "added_by"),
        *_columns(sa.BigInteger(), "added_at", "usable_at"),
        sa.Column("removed_at", sa.BigInteger(), nullable=True),
        *_columns(sa.Text(), "removed_by"),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "address_book_entries",
        "address_book",
        ["chain", "address"],
        unique=True,
        sqlite_where=sa.text("removed_at IS NULL"),
        postgresql_where=sa.text("removed_at IS NULL"),
    )


def downgrade() -> None:
    names = ("manual_transfers", "outgoing_hours", "transfer_caps", "address_book", "approvals")
    for name in names:
        op.drop_table(name)
