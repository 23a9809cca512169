"""Totals of intents kept with every change: their number by state, and open ones by token pair."""

from collections import Counter
from collections.abc import Iterable

from sqlalchemy import Connection, select

from crossway.domain.intent import FINAL_STATES, Intent, State
from crossway.ports.records import OpenPair
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.tables import intent_counts
from crossway.storage.treasury_tables import open_pairs

_ADD_COUNTS = per_dialect(
    lambda insert_into: insert_into(intent_counts).on_conflict_do_update(
        index_elements=["client_id", "state"],
        set_={"total": intent_counts.c.total + insert_into(intent_counts).excluded.total},
    )
)
_ADD_PAIRS = per_dialect(
    lambda insert_into: insert_into(open_pairs).on_conflict_do_update(
        index_elements=["symbol_in", "symbol_out"],
        set_={
            name: open_pairs.c[name] + insert_into(open_pairs).excluded[name]
            for name in ("payments", "micro_usd")
        },
    )
)


def add_totals(db: Connection, changes: Iterable[tuple[State | None, Intent]]) -> None:
    """Count new states of intents; each comes with its state before, None where it is new."""
    counts: Counter[tuple[str, str]] = Counter()
    payments: Counter[tuple[str, str]] = Counter()
    micro_usd: Counter[tuple[str, str]] = Counter()
    for before, intent in changes:
        for state, sign in ((before, -1), (intent.state, 1)):
            if state is None:
                continue
            counts[intent.client_id, state.value] += sign
            if state not in FINAL_STATES and intent.asset_symbol != intent.out_symbol:
                pair = intent.asset_symbol, intent.out_symbol
                payments[pair] += sign
                micro_usd[pair] += sign * intent.costs.amount_micro_usd
    states = [
        {"client_id": client, "state": state, "total": n}
        for (client, state), n in sorted(counts.items())
        if n
    ]
    pairs = [
        {"symbol_in": i, "symbol_out": o, "payments": n, "micro_usd": micro_usd[i, o]}
        for (i, o), n in sorted(payments.items())
        if n
    ]
    if states:
        db.execute(_ADD_COUNTS[db.dialect.name], states)
    if pairs:
        db.execute(_ADD_PAIRS[db.dialect.name], pairs)


def list_open_pairs(db: Connection) -> list[OpenPair]:
    """Open payments by pair of tokens, of those that have any."""
    c = open_pairs.c
    query = select(c.symbol_in, c.symbol_out, c.payments, c.micro_usd).where(c.payments > 0)
    return [OpenPair(*row) for row in db.execute(query)]
