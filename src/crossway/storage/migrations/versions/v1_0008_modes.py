"""Every record of a client belongs to a mode: events, webhooks, logged requests, idempotency slots,
counts and statistics."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "v1_0008"
down_revision = "v1_0007"
branch_labels = None
depends_on = None

_TEXT, _BIG = sa.Text(), sa.BigInteger()
_MODE = sa.Column("mode", _TEXT, nullable=False)
_WEBHOOK = (
    "client_id, url, events, description, secret, old_secret, old_secret_until, enabled, "
    "disabled_reason, failing_since, created_at, updated_at"
)
_CORRIDOR = "source, destination, bridge, symbol, outcome, bucket"
_CORRIDOR_SUMS = "payment_count, micro_usd, fee_micro_usd"


def upgrade() -> None:
    _add_modes()
    _split_webhooks()
    _replace_counts("intent_counts", "intents", with_mode=True)
    _replace_counts("order_counts", "orders", with_mode=True)
    _replace_slots(
        "mode, ", "SELECT client_id, 'test', {rest} FROM {old} "
        "UNION ALL SELECT client_id, 'live', {rest} FROM {old}",
    )  # fmt: skip
    # Statistics do not say whose payments they count: those of the only mode in use, else of none.
    one = "SELECT CASE WHEN count(DISTINCT mode) = 1 THEN min(mode) ELSE '' END FROM intents"
    _replace_corridor_stats(
        "mode, ",
        f"SELECT period, period_number, ({one}), {_CORRIDOR}, {_CORRIDOR_SUMS} FROM {{old}}",
    )


def _add_modes() -> None:
    for table in ("outbox", "webhooks"):
        op.add_column(table, sa.Column("mode", _TEXT, nullable=False, server_default=""))
    op.add_column("request_log", sa.Column("mode", _TEXT))
    # The prefix of a key says its mode.
    op.execute("UPDATE request_log SET mode = 'live' WHERE key_prefix LIKE 'cr_live_%'")
    op.execute("UPDATE request_log SET mode = 'test' WHERE key_prefix LIKE 'cr_test_%'")
    for kind, table in (("intent", "intents"), ("ramp_order", "orders")):
        op.execute(
            f"UPDATE outbox SET mode = coalesce((SELECT mode FROM {table} "
            f"WHERE {table}.id = outbox.resource_id), 'test') WHERE kind = '{kind}'"
        )
    op.execute("UPDATE outbox SET mode = 'test' WHERE mode = ''")
    # Requests that the dashboard's demo made have a client and no key.
    op.execute("UPDATE request_log SET mode = 'test' WHERE mode IS NULL AND client_id IS NOT NULL")


def _split_webhooks() -> None:
    """A webhook used to receive the events of both modes. One of a client with live and test keys
    or records becomes two with one secret, so that no receiver misses an event; deliveries go to
    the webhook of their event's mode. Payments made on the dashboard need no key."""
    used = " OR ".join(
        f"EXISTS (SELECT 1 FROM {table} r WHERE r.client_id = webhooks.client_id "
        f"AND r.mode = '{{0}}'{more})"
        for table, more in (
            ("api_keys", " AND r.revoked_at IS NULL"),
            ("intents", ""),
            ("orders", ""),
        )
    )
    op.execute(
        f"UPDATE webhooks SET mode = CASE WHEN {used.format('live')} THEN 'live' ELSE 'test' END"
    )
    db = op.get_bind()
    both = db.execute(
        sa.text(
            f"SELECT id FROM webhooks WHERE mode = 'live' AND ({used.format('test')}) ORDER BY id"
        )
    ).scalars()
    for number in both.all():
        parameters = {"id": number}
        copy = db.execute(
            sa.text(
                f"INSERT INTO webhooks ({_WEBHOOK}, mode) SELECT {_WEBHOOK}, 'test' "
                "FROM webhooks WHERE id = :id RETURNING id"
            ),
            parameters,
        ).scalar_one()
        db.execute(
            sa.text(
                "UPDATE deliveries SET webhook_id = :copy WHERE webhook_id = :id "
                "AND event_id IN (SELECT id FROM outbox WHERE mode = 'test')"
            ),
            {**parameters, "copy": copy},
        )


def _replace_counts(table: str, counted: str, *, with_mode: bool) -> None:
    names = ["client_id", "mode", "state"] if with_mode else ["client_id", "state"]
    op.drop_table(table)
    op.create_table(
        table,
        *(sa.Column(name, _TEXT, nullable=False) for name in names),
        sa.Column("total", _BIG, nullable=False),
        sa.PrimaryKeyConstraint(*names),
    )
    keys = ", ".join(names)
    op.execute(
        f"INSERT INTO {table} ({keys}, total) "
        f"SELECT {keys}, count(*) FROM {counted} GROUP BY {keys}"
    )


def _replace_slots(mode: str, rows: str) -> None:
    """Which key a stored answer was made with is not known: it answers in both modes until it
    expires, after a day, so that no request is carried out twice."""
    rest = "key, body_hash, at, status, body"
    op.drop_index("ix_idempotency_slots_at", "idempotency_slots")
    _replace(
        "idempotency_slots",
        [
            sa.Column("client_id", _TEXT, nullable=False),
            *([sa.Column("mode", _TEXT, nullable=False)] if mode else []),
            sa.Column("key", _TEXT, nullable=False),
            sa.Column("body_hash", _TEXT, nullable=False),
            sa.Column("at", _BIG, nullable=False),
            sa.Column("status", sa.Integer()),
            sa.Column("body", sa.LargeBinary(), nullable=False),
        ],
        ["client_id", *(["mode"] if mode else []), "key"],
        f"INSERT INTO {{new}} (client_id, {mode}{rest}) " + rows.replace("{rest}", rest),
    )
    op.create_index("ix_idempotency_slots_at", "idempotency_slots", ["at"])


def _replace_corridor_stats(mode: str, rows: str) -> None:
    keys = ["period", "period_number", *(["mode"] if mode else []), *_CORRIDOR.split(", ")]
    types = {"period_number": _BIG, "bucket": sa.Integer()}
    _replace(
        "corridor_stats",
        [
            *(sa.Column(name, types.get(name, _TEXT), nullable=False) for name in keys),
            *(sa.Column(name, _BIG, nullable=False) for name in _CORRIDOR_SUMS.split(", ")),
        ],
        keys,
        f"INSERT INTO {{new}} (period, period_number, {mode}{_CORRIDOR}, {_CORRIDOR_SUMS}) " + rows,
    )


def _replace(table: str, columns: Sequence[sa.Column[Any]], keys: Sequence[str], copy: str) -> None:
    """Replace a table by one with another primary key."""
    old = f"{table}_before"
    op.rename_table(table, old)
    op.create_table(table, *columns, sa.PrimaryKeyConstraint(*keys))
    op.execute(copy.format(new=table, old=old))
    op.drop_table(old)


def downgrade() -> None:
    sums = ", ".join(f"sum({name})" for name in _CORRIDOR_SUMS.split(", "))
    by = f"period, period_number, {_CORRIDOR}"
    _replace_corridor_stats("", f"SELECT {by}, {sums} FROM {{old}} GROUP BY {by}")
    # Of two answers to one key the earlier stays.
    _replace_slots(
        "", "SELECT client_id, {rest} FROM {old} one WHERE NOT EXISTS (SELECT 1 FROM {old} other "
        "WHERE other.client_id = one.client_id AND other.key = one.key "
        "AND (other.at < one.at OR (other.at = one.at AND other.mode < one.mode)))",
    )  # fmt: skip
    _replace_counts("order_counts", "orders", with_mode=False)
    _replace_counts("intent_counts", "intents", with_mode=False)
    _join_webhooks()
    for table in ("request_log", "webhooks", "outbox"):
        op.execute(f"ALTER TABLE {table} DROP COLUMN mode")


def _join_webhooks() -> None:
    """Two webhooks of one client with one URL and one secret are one again."""
    twin = "SELECT min(o.id) FROM webhooks o WHERE o.client_id = {0}.client_id " \
        "AND o.url = {0}.url AND o.secret = {0}.secret"  # fmt: skip
    op.execute(
        "UPDATE deliveries SET webhook_id = "
        f"(SELECT ({twin.format('w')}) FROM webhooks w WHERE w.id = deliveries.webhook_id)"
    )
    op.execute(f"DELETE FROM webhooks WHERE id <> ({twin.format('webhooks')})")
