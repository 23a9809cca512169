"""Standing addresses and their deposits."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0045"
down_revision = "v1_0044"
branch_labels = None
depends_on = None

_SEEN, _OPEN = "state = 'SEEN'", "state IN ('WAITING', 'FORWARDING')"
_HAS_REFERENCE = "reference <> ''"
_THERE = "state IN ('SEEN', 'WAITING', 'FORWARDING', 'RETURNING', 'KEPT', 'FAILED')"


def _id() -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return sa.Column("id", kind, autoincrement=True, nullable=False)


def _text(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text(), nullable=False) for name in names]


def _big(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger(), nullable=False) for name in names]


def _partial(name: str, table: str, columns: list[str], where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, sqlite_where=condition, postgresql_where=condition)


def upgrade() -> None:
    op.create_table(
        "standing_addresses",
        _id(),
        *_text("name", "client_id", "mode", "address", "standing_hash", "source_chain"),
        *_text("destination_chain", "token_out", "recipient", "recovery", "committed", "history"),
        *_text("reference", "metadata"),
        *_big("created_at", "updated_at"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
        sa.UniqueConstraint("address"),
        sa.ForeignKeyConstraint(["client_id"], ["clients.id"]),
    )
    table = "standing_addresses"
    op.create_index("standing_addresses_of_client", table, ["client_id", "id"])
    _partial("standing_addresses_by_reference", table, ["reference", "name"], _HAS_REFERENCE)
    op.create_table(
        "standing_deposits",
        _id(),
        *_big("number"),
        *_text("client_id", "mode", "chain", "tx_hash"),
        *_big("tx_index", "block_height"),
        *_text("block_hash", "token", "sender", "to_address", "amount"),
        *_big("at"),
        *_text("state"),
        sa.Column("intent_id", sa.BigInteger()),
        *_big("micro_usd"),
        *_text("reason"),
        *_big("next_at", "created_at", "updated_at", "ready_height"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("intent_id"),
        sa.UniqueConstraint("chain", "tx_hash", "tx_index", name="standing_deposits_once"),
        sa.ForeignKeyConstraint(["number"], ["standing_addresses.id"]),
    )
    table = "standing_deposits"
    op.create_index("standing_deposits_of_address", table, ["number", "id"])
    op.create_index("standing_deposits_of_client", table, ["client_id", "id"])
    op.create_index("standing_deposits_by_tx", table, ["tx_hash"])
    op.create_index("standing_deposits_by_block", table, ["chain", "block_height"])
    _partial("standing_deposits_seen", table, ["chain", "ready_height"], _SEEN)
    _partial("standing_deposits_open", table, ["chain", "next_at"], _OPEN)
    _partial("standing_deposits_there", table, ["chain", "number"], _THERE)


def downgrade() -> None:
    """Refused once there is a standing address: money may come to it at any time."""
    query = sa.text("SELECT count(*) FROM standing_addresses")
    if op.get_bind().execute(query).scalar():
        raise RuntimeError("there are standing addresses: money that comes to them would be lost")
    op.drop_table("standing_deposits")
    op.drop_table("standing_addresses")
