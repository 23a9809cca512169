"""Recounts how the payments of the last month ended: failures that were left out, and bridges."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import log2
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "v1_0022"
down_revision = "v1_0021"
branch_labels = None
depends_on = None

# Statistics of the last 30 days are shown; older ones stay as they are.
_DAYS = 32
_HOUR, _DAY = 3_600_000_000, 86_400_000_000
_ROWS_AT_ONCE, _PAYMENTS_AT_ONCE = 50_000, 5_000
_ENDED, _FUNDED = ("COMPLETED", "EXPIRED", "FAILED"), ("FUNDED", "INITIATED", "COMPLETED")
_NEWEST = sa.text("SELECT id, at FROM transitions ORDER BY id DESC LIMIT 1")
_BACKWARDS = sa.text(
    "SELECT id, intent_id, at, from_state, to_state FROM transitions WHERE id <= :newest"
    " ORDER BY id DESC LIMIT :rows"
)
_HISTORIES = sa.text(
    "SELECT intent_id, at, from_state, to_state FROM transitions"
    " WHERE intent_id IN :ids AND from_state <> to_state ORDER BY id"
).bindparams(sa.bindparam("ids", expanding=True))
_PAYMENTS = sa.text(
    "SELECT id, created_at, mode, source_chain, destination_chain, bridge, asset_symbol,"
    " amount_micro_usd, service_micro_usd + bridge_micro_usd AS fee_micro_usd"
    " FROM intents WHERE id IN :ids"
).bindparams(sa.bindparam("ids", expanding=True))
_CLEAR = sa.text(
    "DELETE FROM corridor_stats WHERE (period = 'hour' AND period_number >= :hour)"
    " OR (period = 'day' AND period_number >= :day)"
)
_ADD = sa.text(
    "INSERT INTO corridor_stats (period, period_number, mode, source, destination, bridge, symbol,"
    " outcome, bucket, payment_count, micro_usd, fee_micro_usd) VALUES (:period, :period_number,"
    " :mode, :source, :destination, :bridge, :symbol, :outcome, :bucket, :n, :usd, :fee)"
)
Totals = dict[tuple[Any, ...], list[int]]


def upgrade() -> None:
    db = op.get_bind()
    newest = db.execute(_NEWEST).first()
    if newest is None:
        return
    first = (newest.at // _DAY - _DAYS) * _DAY
    totals: Totals = defaultdict(lambda: [0, 0, 0])
    ids = sorted(_find_ended(db, newest.id, first))
    for start in range(0, len(ids), _PAYMENTS_AT_ONCE):
        _count(db, ids[start : start + _PAYMENTS_AT_ONCE], first, totals)
    db.execute(_CLEAR, {"hour": first // _HOUR, "day": first // _DAY})
    names = ("period", "period_number", "mode", "source", "destination", "bridge", "symbol")
    rows = [
        dict(zip((*names, "outcome", "bucket", "n", "usd", "fee"), (*key, *sums), strict=True))
        for key, sums in totals.items()
    ]
    if rows:
        db.execute(_ADD, rows)


def downgrade() -> None:
    pass


def _find_ended(db: sa.Connection, newest: int, first: int) -> set[int]:
    """The payments that ended since a time, with those that went on afterwards."""
    found: set[int] = set()
    for rows in _read_backwards(db, newest):
        found |= {
            row.intent_id
            for row in rows
            if row.to_state in _ENDED and row.from_state != row.to_state
            if (row.from_state, row.to_state) != ("PENDING", "EXPIRED")
        }
        if rows[-1].at < first:
            break
    return found


def _read_backwards(db: sa.Connection, newest: int) -> Iterator[Sequence[Any]]:
    while rows := db.execute(_BACKWARDS, {"newest": newest, "rows": _ROWS_AT_ONCE}).all():
        yield rows
        newest = rows[-1].id - 1


def _count(db: sa.Connection, ids: Sequence[int], first: int, totals: Totals) -> None:
    histories: dict[int, list[Any]] = defaultdict(list)
    for row in db.execute(_HISTORIES, {"ids": ids}):
        histories[row.intent_id].append(row)
    for payment in db.execute(_PAYMENTS, {"ids": ids}):
        outcome, ended_at, funded_at = _ending(payment.created_at, histories[payment.id])
        if not outcome or ended_at < first:
            continue
        bucket = round(10 * log2(max((ended_at - funded_at) / 1_000_000, 0.1)))
        route = (payment.mode, payment.source_chain, payment.destination_chain, payment.bridge)
        for period, length in (("hour", _HOUR), ("day", _DAY)):
            key = (period, ended_at // length, *route, payment.asset_symbol, outcome, bucket)
            amounts = (1, payment.amount_micro_usd, payment.fee_micro_usd)
            totals[key] = [a + b for a, b in zip(totals[key], amounts, strict=True)]


def _ending(created_at: int, history: Iterable[Any]) -> tuple[str, int, int]:
    """How a payment ended, empty where it is open or was never funded; when; and when it was
    funded."""
    outcome, ended_at, funded_at = "", created_at, created_at
    for row in history:
        if (row.from_state, row.to_state) == ("PENDING", "FUNDED"):
            funded_at = row.at
        before = outcome
        if "REFUNDED" in (row.from_state, row.to_state):
            continue
        if row.to_state == "COMPLETED":
            outcome = "paid"
        else:
            has_failed = row.to_state in _ENDED and row.from_state in _FUNDED
            outcome = "failed" if has_failed else ""
        ended_at = row.at if outcome != before else ended_at
    return outcome, ended_at, funded_at
