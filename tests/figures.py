"""An independent count of payments from their rows, to compare the kept figures with."""

import json
from collections import defaultdict
from typing import Any

from sqlalchemy import select

from crossway.domain.corridor_stats import bucket_of
from crossway.ports.store import Store
from crossway.storage.analytics_tables import (
    group_figures,
    group_network_fees,
    route_durations,
    token_deposits,
)
from crossway.storage.store import SqlStore
from crossway.storage.tables import deposits, intents, postings, transitions
from crossway.usecases.operating.payment_figures import count_changes

HOUR, DAY = 3_600_000_000, 86_400_000_000
STATES = ("PENDING", "FUNDED", "INITIATED", "COMPLETED", "EXPIRED", "REFUNDED", "FAILED")
FEE_ACCOUNTS = {
    "service_fee": ("service_fees", "spread", "bridge_surplus"),
    "bridge_fee": ("bridge_fees",),
}
UNPAID = ("FILL_REFUSED", "FILL_GIVEN_UP", "UNFILLED", "PARKED")
Sums = dict[Any, dict[str, int]]


def check_figures(store: Store) -> None:
    """Count what is due; then all sums must be those of an independent count."""
    while count_changes(store):
        pass
    assert isinstance(store, SqlStore)
    assert kept_sums(store) == recount(store)


def kept_sums(store: SqlStore) -> Sums:
    """The stored sums, without rows and values of zero."""
    sums: Sums = defaultdict(dict)
    with store.reader.connect() as db:
        for row in db.execute(select(group_figures)).mappings():
            key = (row["dimension"], row["value"], row["mode"], row["span"], row["number"])
            values = {n: row[n] for n in row if not group_figures.c[n].primary_key}
            for name in ("requested", "volume"):
                whole, rest = values.pop(f"{name}_whole"), values.pop(f"{name}_rest")
                values[f"{name}_micro_usd"] = whole * 10**9 + rest
            sums[key] |= {name: n for name, n in values.items() if n}
        for row in db.execute(select(group_network_fees)):
            key = (row.dimension, row.value, row.mode, row.span, row.number)
            if units := row.whole * 10**9 + row.rest:
                sums[key][row.chain] = units
        for row in db.execute(select(route_durations)):
            if row.payments:
                key = ("duration", row.value, row.mode, row.span, row.number)
                sums[key][str(row.bucket)] = row.payments
        for row in db.execute(select(token_deposits)):
            if row.units != "0":
                key = ("deposits", row.symbol, row.mode, row.span, row.number)
                sums[key][str(row.decimals)] = int(row.units)
    return {key: values for key, values in sums.items() if values}


def recount(store: SqlStore) -> Sums:
    """The same from payments, transitions, deposits and postings, in plain steps."""
    with store.reader.connect() as db:
        payments = db.execute(select(intents)).all()
        history, received, booked = (defaultdict(list) for _ in range(3))
        for row in db.execute(select(transitions).order_by(transitions.c.id)):
            history[row.intent_id].append(row)
        for row in db.execute(select(deposits).where(deposits.c.state == "CREDITED")):
            received[row.intent_id].append(row.purpose)
        for row in db.execute(select(postings)):
            booked[row.intent_id].append(row)
    sums: Sums = defaultdict(lambda: defaultdict(int))
    for p in payments:
        cause, values = _figures(p, history[p.id], received[p.id], booked[p.id])
        route = f"{p.source_chain}>{p.destination_chain}"
        groups = [("all", ""), ("merchant", p.client_id), ("route", route), ("bridge", p.bridge)]
        groups += [("token", p.asset_symbol), ("status", p.state)]
        groups += [("cause", cause)] if cause else []
        for span, length in (("hour", HOUR), ("day", DAY)):
            place = (p.mode, span, p.created_at // length)
            for group in groups:
                for name, n in values.items():
                    sums[*group, *place][name] += n
            if p.state == "COMPLETED":
                sums["duration", route, *place][str(_bucket(p, history[p.id]))] += 1
                units = int(p.deposit_amount)
                sums["deposits", p.asset_symbol, *place][str(p.asset_decimals)] += units
    kept = {key: {name: n for name, n in of.items() if n} for key, of in sums.items()}
    return {key: values for key, values in kept.items() if values}


def _figures(p: Any, history: Any, received: Any, booked: Any) -> tuple[str, dict[str, int]]:
    """The cause and the values of one payment."""
    path = [t.to_state for t in history if t.to_state in STATES[:4]]
    deposited, started = path[-1] != "PENDING", path[-1] in ("INITIATED", "COMPLETED")
    completed, ended = p.state == "COMPLETED", p.state in STATES[4:]
    underpaid = int(p.received_amount) > 0 and not deposited
    cause, ends = "", [t.event for t in history if t.to_state in ("EXPIRED", "FAILED")]
    ends = [event for event in ends if event.startswith(("DEADLINE", "CANCELLED", *UNPAID))]
    if ended and ends[-1] in UNPAID:
        cause = "payout_failed"
    elif ended and ends[-1].startswith("CANCELLED"):
        cause = "cancelled"
    elif ended and deposited:
        cause = "not_started"
    elif ended and underpaid:
        cause = "underpaid"
    elif ended:
        cause = "late" if any(t.event == "DEPOSIT_LATE" for t in history) else "no_deposit"
        assert cause == "no_deposit" or "LATE" in received or not received
    values = {
        p.state.lower(): 1,
        "deposited": int(deposited),
        "started": int(started),
        "underpaid": int(underpaid),
        "requested_micro_usd": p.amount_micro_usd,
        "volume_micro_usd": p.amount_micro_usd if completed else 0,
    }
    for fee, accounts in FEE_ACCOUNTS.items():
        values[f"{fee}_micro_usd"] = sum(
            _usd(p, chain, n)
            for account in accounts
            for chain in {p.source_chain, p.destination_chain}
            for n in _moved([b for b in booked if b.chain == chain], account)
        )
    for chain in {b.chain for b in booked}:
        on_chain = [b for b in booked if b.chain == chain]
        values[chain] = sum(_moved(on_chain, "network_fees"))
    return cause, values


def _moved(booked: Any, account: str) -> list[int]:
    """The amounts moved to an account, negative if moved from it."""
    return [
        int(b.amount) * ((b.debit == account) - (b.credit == account))
        for b in booked
        if account in (b.debit, b.credit)
    ]


def _usd(p: Any, chain: str, units: int) -> int:
    """A fee on one of the payment's chains at the agreed price, rounded towards zero.

    A swapped deposit collects what it buys, which is worth what was paid less the swap's cost."""
    collected = p.amount_micro_usd + p.service_micro_usd + p.bridge_micro_usd + p.app_micro_usd
    amount, symbol, decimals = int(p.deposit_amount), p.asset_symbol, p.asset_decimals
    if p.swap:
        swap = json.loads(p.swap)
        amount, symbol, decimals = swap["output"], swap["symbol"], swap["decimals"]
        collected -= swap["cost_micro_usd"]
    value = abs(units) * collected // int(amount)
    if chain != p.source_chain:
        value = abs(units) * p.amount_micro_usd // int(p.payout_amount)
        symbol, decimals = p.out_symbol, p.out_decimals
    if symbol == "USDC":
        value = abs(units) * 10**6 // 10**decimals
    return value if units > 0 else -value


def _bucket(p: Any, history: Any) -> int:
    funded = [t.at for t in history if (t.from_state, t.to_state) == ("PENDING", "FUNDED")]
    paid = [t.at for t in history if t.to_state == "COMPLETED" and t.from_state != "COMPLETED"]
    return bucket_of((paid[-1] - (funded[-1] if funded else p.created_at)) / 1_000_000)
