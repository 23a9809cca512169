"""Totals of intents kept with every change: how many an owner has in each state, open ones by
token pair, and uses of payment links."""

from collections import Counter
from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, bindparam, select, update

from crossway.domain.intent import FINAL_STATES, Intent, State
from crossway.domain.payment_links import count_use
from crossway.ports.records import OpenPair
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.link_tables import payment_links
from crossway.storage.prepared import execute_each
from crossway.storage.tables import intent_counts
from crossway.storage.treasury_tables import open_pairs

_ADD_COUNTS = per_dialect(
    lambda insert_into: insert_into(intent_counts).on_conflict_do_update(
        index_elements=["client_id", "mode", "state"],
        set_={"total": intent_counts.c.total + insert_into(intent_counts).excluded.total},
    )
)
_ADD_PAIRS = per_dialect(
    lambda insert_into: insert_into(open_pairs).on_conflict_do_update(
        index_elements=["symbol_in", "symbol_out"],
        set_={
            name: open_pairs.c[name] + insert_into(open_pairs).excluded[name]
            for name in ("payments", "micro_usd", "unpaid_micro_usd")
        },
    )
)

_ADD_USES = (
    update(payment_links)
    .where(payment_links.c.id == bindparam("link"))
    .values(
        uses=payment_links.c.uses + bindparam("more_uses"),
        reserved=payment_links.c.reserved + bindparam("more_reserved"),
    )
)


def add_totals(db: Connection, changes: Iterable[tuple[State | None, Intent]]) -> None:
    """Count new states of intents; each comes with its state before, None where it is new."""
    counts: Counter[tuple[str, str, str]] = Counter()
    payments: Counter[tuple[str, str]] = Counter()
    micro_usd: Counter[tuple[str, str]] = Counter()
    unpaid_micro_usd: Counter[tuple[str, str]] = Counter()
    for before, intent in changes:
        for state, sign in ((before, -1), (intent.state, 1)):
            if state is None:
                continue
            counts[intent.client_id, intent.mode, state.value] += sign
            is_open = state not in FINAL_STATES
            # What is swapped at the start depends on no price: it succeeds or is refunded.
            if is_open and intent.swap is None and intent.asset_symbol != intent.out_symbol:
                pair = intent.asset_symbol, intent.out_symbol
                payments[pair] += sign
                micro_usd[pair] += sign * intent.costs.amount_micro_usd
                if intent.by_payer and state is State.PENDING:
                    unpaid_micro_usd[pair] += sign * intent.costs.amount_micro_usd
    pairs = [
        {
            "symbol_in": i,
            "symbol_out": o,
            "payments": n,
            "micro_usd": micro_usd[i, o],
            "unpaid_micro_usd": unpaid_micro_usd[i, o],
        }
        for (i, o), n in sorted(payments.items())
        if n or unpaid_micro_usd[i, o]
    ]
    add_state_counts(db, counts)
    if pairs:
        db.execute(_ADD_PAIRS[db.dialect.name], pairs)


def add_state_counts(db: Connection, counts: Mapping[tuple[str, str, str], int]) -> None:
    """Add to the numbers of intents by client, mode and state."""
    rows = [
        {"client_id": client, "mode": mode, "state": state, "total": n}
        for (client, mode, state), n in sorted(counts.items())
        if n
    ]
    execute_each(db, _ADD_COUNTS[db.dialect.name], rows)


def add_link_uses(db: Connection, changes: Iterable[tuple[State | None, Intent]]) -> None:
    """Count new states of payments for the payment links that they were made by; as
    `add_totals`."""
    counts: dict[str, tuple[int, int]] = {}
    for before, intent in changes:
        if intent.by_payer and intent.payment_link_id is not None:
            was, now = count_use(before), count_use(intent.state)
            uses, reserved = counts.get(intent.payment_link_id, (0, 0))
            counts[intent.payment_link_id] = (
                uses + now[0] - was[0],
                reserved + now[1] - was[1],
            )
    # In the order of their ids, so that writers that lock several links do not block each other.
    rows = [
        {"link": link, "more_uses": uses, "more_reserved": reserved}
        for link, (uses, reserved) in sorted(counts.items())
        if uses or reserved
    ]
    if rows:
        db.execute(_ADD_USES, rows)


def list_open_pairs(db: Connection) -> list[OpenPair]:
    """Open payments by pair of tokens, of those that have any."""
    c = open_pairs.c
    columns = c.symbol_in, c.symbol_out, c.payments, c.micro_usd, c.unpaid_micro_usd
    query = select(*columns).where(c.payments > 0)
    return [OpenPair(*row) for row in db.execute(query)]
