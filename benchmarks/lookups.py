"""Lookups among many payments: search by each identifier, lists, filters, one payment.

A thousand payments, a hundred thousand and a million in three databases are asked the same in turn.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from random import Random
from statistics import median, quantiles

from sqlalchemy import text

from benchmarks.worlds import caller, payment, service
from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Principal, staff_principal
from crossway.domain.filters import FilterSet, parse_filters
from crossway.domain.intent import Intent
from crossway.ports.search_repository import PaymentPlace
from crossway.ports.services import Services
from crossway.storage.intent_rows import intent_row
from crossway.usecases.payments import listing, search, timeline

SIZES = (1_000, 100_000, 1_000_000)
SAMPLES, WARM = 60, 5
GOAL_P95_MS, GOAL_GROWTH = 200.0, 1.3
PAGE = 26
Lookup = Callable[[Services, int], object]
# The columns that differ by row, as SQL; `n` counts from 1.
OWN = {
    "intent_hash": "printf('0x%064x', n + 1)",
    "address": "printf('0xa%039x', n)",
    "destination_address": "printf('0xd%039x', n)",
    "nonce": "'9' || n",
    "recipient": "printf('0xb%039x', n % 1000)",
    "refund_address": "printf('0xf%039x', n)",
    "sender": "printf('0xe%039x', n)",
    "tx_hash": "printf('0x%064x', n * 10)",
    "state": "CASE n % 50 WHEN 0 THEN 'PENDING' WHEN 1 THEN 'FAILED' WHEN 2 THEN 'REFUNDED' "
    "WHEN 3 THEN 'EXPIRED' ELSE 'COMPLETED' END",
    "mode": "CASE n % 10 WHEN 5 THEN 'live' ELSE 'test' END",
    "funding_level": "CASE n % 400 WHEN 7 THEN 'SHORT' WHEN 9 THEN 'OVER' ELSE '' END",
    "source_chain": "CASE n % 5 WHEN 0 THEN 'SOLANA_MAINNET' WHEN 1 THEN 'POLYGON_MAINNET' "
    "ELSE 'BASE_MAINNET' END",
    "asset_symbol": "CASE n % 7 WHEN 0 THEN 'USDT' WHEN 1 THEN 'ETH' ELSE 'USDC' END",
    "bridge": "CASE n % 3 WHEN 0 THEN 'ACROSS' ELSE 'CCTP' END",
    "amount_micro_usd": "(n * 7919 % 5000) * 1000000",
    "metadata": "'{\"reference\":\"ORD-' || n || '\"}'",
    # One payment every four seconds, the newest last.
    "created_at": ":newest + n * 4000000",
    "updated_at": ":newest + n * 4000000",
}
DEPOSITS = """
INSERT INTO deposits (intent_id, chain, tx_hash, tx_index, block_height, block_hash, ready_height,
 token, sender, to_address, amount, at, state, purpose, note, awaiting_return, credited_at)
SELECT n, 'BASE_MAINNET', printf('0x%064x', n * 10 + 1), 0, n, 'h', n, 't',
 printf('0xc%039x', n), 'a', '25000000', 0, 'CREDITED',
 CASE n % 300 WHEN 5 THEN 'LATE' ELSE 'PAYMENT' END, '', 0, 0 FROM numbers"""
OUTBOUND_TXS = """
INSERT INTO outbound_txs (id, intent_id, kind, cause, chain, token, amount, to_address, state,
 attempt_count, reason, next_at, tx_id, block_height, created_at, updated_at)
SELECT n, n, 'FILL', 'fill', 'ARBITRUM_MAINNET', 't', '1', 'b', 'FINAL', 0, '', 0,
 printf('0x%064x', n * 10 + 2), 1, 0, 0 FROM numbers"""
ATTEMPTS = """
INSERT INTO tx_attempts (outbound_tx_id, chain, account, nonce, tx_id, fee_units, raw, at)
SELECT n, 'ARBITRUM_MAINNET', 'relayer', n, printf('0x%064x', n * 10 + 3), '1', x'00', 0
FROM numbers"""
TRANSITIONS = """
INSERT INTO transitions (event_id, intent_id, at, event, from_state, to_state, event_type, note)
SELECT printf('evt_%032x', n), n, 0, 'CREATED', NULL, 'PENDING', 'intent_created', ''
FROM numbers"""
METADATA_VALUES = """
INSERT INTO metadata_values (value, intent_id)
SELECT 'ord-' || n, n FROM numbers"""
POSTINGS = """
INSERT INTO postings (intent_id, chain, token, debit, credit, amount, tx, at)
SELECT n, 'BASE_MAINNET', 't', 'held', 'payer', '25000000', 'x', 0 FROM numbers"""
NUMBERS = (
    "WITH RECURSIVE numbers(n) AS "
    "(SELECT :low UNION ALL SELECT n + 1 FROM numbers WHERE n < :high) "
)
FINDS: dict[str, Callable[[int], str]] = {
    "number": str,
    "deposit address": lambda n: f"0xa{n:039x}",
    "destination address": lambda n: f"0xd{n:039x}",
    "intent hash": lambda n: f"0x{n + 1:064x}",
    "payout's hash": lambda n: f"0x{n * 10:064x}",
    "deposit's hash": lambda n: f"0x{n * 10 + 1:064X}".replace("0X", "0x"),
    "fill's hash": lambda n: f"https://arbiscan.io/tx/0x{n * 10 + 2:064x}",
    "replaced hash": lambda n: f"  0x{n * 10 + 3:064x}\n",
    "event": lambda n: f"evt_{n:032x}",
    "sender": lambda n: f"0xe{n:039x}",
    "depositor": lambda n: f"0xc{n:039x}",
    "refund address": lambda n: f"0xf{n:039x}",
    "shared recipient": lambda n: f"0xb{n % 1000:039x}",
    "metadata reference": lambda n: f"ord-{n}",
    "e-mail": lambda n: f"nobody{n}@example.com",
    "nothing known": lambda n: f"0x{n:040x}f",
}
FILTERS = {
    "one state": ("state:EXPIRED", ""),
    "state and token": ("state:FAILED;token:ETH", ""),
    "exception": ("exception:short,late", ""),
    "chain and value": ("from:SOLANA_MAINNET;value:100..500", ""),
    "any of two": ("", "exception:over;state:EXPIRED"),
    "rare of many": ("state:COMPLETED;token:USDC;bridge:ACROSS;value:4999..", ""),
    "nothing at all": ("state:FAILED;exception:short;token:USDT;from:POLYGON_MAINNET", ""),
}


@dataclass(frozen=True, slots=True)
class Quantiles:
    """p50 and p95 in milliseconds."""

    p50: float
    p95: float


def run(sizes: tuple[int, ...] = SIZES, samples: int = SAMPLES) -> list[tuple[str, str, str, bool]]:
    """(name, figure, goal, met), at each size and as growth."""
    with ExitStack() as opened:
        services = {}
        for size in sizes:
            built = opened.enter_context(service())
            fill(built, payment(built, caller(built)), 2, size)
            services[size] = built.services
        durations = {name: measure(services, lookup, samples) for name, lookup in lookups().items()}
    rows = []
    for name, by_size in durations.items():
        for size, quantile in zip(sizes, by_size, strict=True):
            figure = f"p95 {quantile.p95:.1f} ms, median {quantile.p50:.1f} ms"
            met = quantile.p95 <= GOAL_P95_MS
            rows.append((f"{name}, {size:,} payments", figure, f"p95 ≤ {GOAL_P95_MS:g} ms", met))
        growth = by_size[-1].p50 / by_size[0].p50
        label = f"{name}, median from {sizes[0]:,} to {sizes[-1]:,}"
        rows.append((label, f"× {growth:.2f}", f"≤ × {GOAL_GROWTH:g}", growth <= GOAL_GROWTH))
    return rows


def fill(built: Service, model: Intent, low: int, high: int) -> None:
    """Insert payments with their related rows directly into the tables."""
    row = intent_row(model)
    span = {"low": low, "high": high}
    newest = row["created_at"] - 5_000_000 * 1_000_000
    columns = [name for name in row if name not in OWN]
    shared = {name: row[name] for name in columns}
    names = ", ".join(f'"{name}"' for name in ("id", *columns, *OWN))
    values = ", ".join(("n", *(f":{name}" for name in columns), *OWN.values()))
    with built.store.writer.begin() as db:
        insert = f"INSERT INTO intents ({names}) {NUMBERS} SELECT {values} FROM numbers"
        db.execute(text(insert), {**shared, **span, "newest": newest})
        for statement in (
            DEPOSITS,
            OUTBOUND_TXS,
            ATTEMPTS,
            TRANSITIONS,
            METADATA_VALUES,
            POSTINGS,
        ):
            into, _, selected = statement.partition("SELECT")
            db.execute(text(f"{into} {NUMBERS} SELECT {selected}"), span)


def lookups() -> dict[str, Lookup]:
    """Each kind of lookup, for a random payment."""
    operator = staff_principal("benchmark", mode=Mode.TEST)
    by_name: dict[str, Lookup] = {
        f"search by {name}": lambda s, n, spelled=spelled: search.search(s, operator, spelled(n))
        for name, spelled in FINDS.items()
    }
    by_name["list, first page"] = lambda s, n: page(s, operator, FilterSet(), None)
    by_name["list, deep page"] = lambda s, n: page(s, operator, FilterSet(), PaymentPlace(n))
    for name, (every, some) in FILTERS.items():
        filters = FilterSet(parse_filters(every, "all"), parse_filters(some, "any"))
        by_name[f"list, {name}"] = lambda s, n, filters=filters: page(s, operator, filters, None)
    by_name["one payment, its timeline and related records"] = lambda s, n: detail(s, operator, n)
    return by_name


def page(
    services: Services, operator: Principal, filters: FilterSet, after: PaymentPlace | None
) -> None:
    """A page of the list and its count, as the screen reads them."""
    listing.list_page(services, operator, filters, after, PAGE)


def detail(services: Services, operator: Principal, number: int) -> None:
    """Everything on the screen of one payment."""
    timeline.get_timeline(services, operator, number)
    timeline.get_related_records(services, operator, number)


def measure(services: Mapping[int, Services], lookup: Lookup, samples: int) -> list[Quantiles]:
    """Durations at each size, alternating, so that other work of the machine affects all alike."""
    random = Random(7)
    durations: dict[int, list[float]] = {size: [] for size in services}
    for turn in range(WARM + samples):
        for size in services:
            number = random.randrange(2, size)
            began = time.perf_counter()
            lookup(services[size], number)
            if turn >= WARM:
                durations[size].append((time.perf_counter() - began) * 1000)
    return [Quantiles(median(ms), quantiles(ms, n=20)[18]) for ms in durations.values()]


if __name__ == "__main__":
    for label, figure, goal, met in run():
        print(f"{'ok  ' if met else 'MISS'}  {label}: {figure}  (goal {goal})", flush=True)
