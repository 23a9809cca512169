"""Running balances of deposit addresses, a queue for deposits of crowded payments, a counter."""

from collections import defaultdict

import sqlalchemy as sa
from alembic import op

revision = "v1_0004"
down_revision = "v1_0003"
branch_labels = None
depends_on = None

_PAYMENTS_AT_ONCE = 10_000
_POSTINGS = sa.text(
    "SELECT intent_id, chain, token, debit, credit, amount FROM postings"
    " WHERE intent_id >= :first AND intent_id < :end"
    " AND (debit IN ('held', 'dust') OR credit IN ('held', 'dust'))"
)
_MARK_MISDIRECTED = sa.text(
    "UPDATE address_balances SET misdirected = NOT EXISTS (SELECT 1 FROM intents"
    " WHERE intents.id = address_balances.intent_id"
    " AND intents.source_chain = address_balances.chain"
    " AND intents.token_in = address_balances.token)"
)


def upgrade() -> None:
    op.create_table(
        "address_balances",
        sa.Column("intent_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("chain", sa.Text(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("held", sa.Text(), nullable=False),
        sa.Column("dust", sa.Text(), nullable=False),
        sa.Column("misdirected", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("intent_id", "chain", "token"),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("address_balances", schema=None) as batch_op:
        batch_op.create_index(
            "address_balances_misdirected",
            ["intent_id"],
            unique=False,
            sqlite_where=sa.text("misdirected = 1 AND held <> '0'"),
            postgresql_where=sa.text("misdirected AND held <> '0'"),
        )

    with op.batch_alter_table("deposits", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("low_priority", sa.Boolean(), server_default="0", nullable=False)
        )
        batch_op.drop_index(
            batch_op.f("deposits_awaiting_return"), sqlite_where=sa.text("awaiting_return = 1")
        )
        batch_op.create_index(
            "deposits_awaiting_return",
            ["intent_id", "chain", "token", "id"],
            unique=False,
            sqlite_where=sa.text("awaiting_return = 1"),
            postgresql_where=sa.text("awaiting_return"),
        )
        batch_op.drop_index(batch_op.f("deposits_seen"), sqlite_where=sa.text("state = 'SEEN'"))
        batch_op.create_index(
            "deposits_seen",
            ["chain", "low_priority", "ready_height"],
            unique=False,
            sqlite_where=sa.text("state = 'SEEN'"),
            postgresql_where=sa.text("state = 'SEEN'"),
        )
        batch_op.create_index(
            "deposits_orphaned",
            ["intent_id"],
            unique=False,
            sqlite_where=sa.text("state = 'ORPHANED'"),
            postgresql_where=sa.text("state = 'ORPHANED'"),
        )

    with op.batch_alter_table("outbound_txs", schema=None) as batch_op:
        batch_op.create_index(
            "outbound_txs_unsettled",
            ["intent_id"],
            unique=False,
            sqlite_where=sa.text("state IN ('DUE', 'SIGNED', 'FAILED')"),
            postgresql_where=sa.text("state IN ('DUE', 'SIGNED', 'FAILED')"),
        )

    op.create_table(
        "commit_counter",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("commits", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.execute("INSERT INTO commit_counter (id, commits) VALUES (1, 0)")
    _sum_postings(op.get_bind())


def _sum_postings(db: sa.Connection) -> None:
    """Fill the balances from the postings, some payments at a time."""
    names = ("intent_id", "chain", "token", "held", "dust", "misdirected")
    columns: list[sa.ColumnClause[object]] = [sa.column(name) for name in names]
    insert = sa.table("address_balances", *columns).insert()
    last = db.scalar(sa.text("SELECT max(intent_id) FROM postings")) or 0
    for first in range(1, last + 1, _PAYMENTS_AT_ONCE):
        totals: dict[tuple[int, str, str], dict[str, int]] = defaultdict(
            lambda: {"held": 0, "dust": 0}
        )
        bounds = {"first": first, "end": first + _PAYMENTS_AT_ONCE}
        for intent_id, chain, token, debit, credit, amount in db.execute(_POSTINGS, bounds):
            total = totals[intent_id, chain, token]
            if debit in total:
                total[debit] += int(amount)
            if credit in total:
                total[credit] -= int(amount)
        rows = [
            {
                "intent_id": intent_id,
                "chain": chain,
                "token": token,
                "held": str(total["held"]),
                "dust": str(total["dust"]),
                "misdirected": False,
            }
            for (intent_id, chain, token), total in totals.items()
        ]
        if rows:
            db.execute(insert, rows)
    db.execute(_MARK_MISDIRECTED)


def downgrade() -> None:
    op.drop_table("commit_counter")
    with op.batch_alter_table("outbound_txs", schema=None) as batch_op:
        batch_op.drop_index(
            "outbound_txs_unsettled",
            sqlite_where=sa.text("state IN ('DUE', 'SIGNED', 'FAILED')"),
            postgresql_where=sa.text("state IN ('DUE', 'SIGNED', 'FAILED')"),
        )

    with op.batch_alter_table("deposits", schema=None) as batch_op:
        batch_op.drop_index(
            "deposits_orphaned",
            sqlite_where=sa.text("state = 'ORPHANED'"),
            postgresql_where=sa.text("state = 'ORPHANED'"),
        )
        batch_op.drop_index(
            "deposits_seen",
            sqlite_where=sa.text("state = 'SEEN'"),
            postgresql_where=sa.text("state = 'SEEN'"),
        )
        batch_op.create_index(
            batch_op.f("deposits_seen"),
            ["chain", "ready_height"],
            unique=False,
            sqlite_where=sa.text("state = 'SEEN'"),
        )
        batch_op.drop_index(
            "deposits_awaiting_return",
            sqlite_where=sa.text("awaiting_return = 1"),
            postgresql_where=sa.text("awaiting_return"),
        )
        batch_op.create_index(
            batch_op.f("deposits_awaiting_return"),
            ["intent_id"],
            unique=False,
            sqlite_where=sa.text("awaiting_return = 1"),
        )
        batch_op.drop_column("low_priority")

    with op.batch_alter_table("address_balances", schema=None) as batch_op:
        batch_op.drop_index(
            "address_balances_misdirected",
            sqlite_where=sa.text("misdirected = 1 AND held <> '0'"),
            postgresql_where=sa.text("misdirected AND held <> '0'"),
        )

    op.drop_table("address_balances")
