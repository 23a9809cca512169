"""The page Analytics with a year of payments: counting them, standard groupings and free filters.

Payments are inserted with their transitions and fees as the engine writes them. Figures are
processor seconds, so that other work of the machine does not count.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from sqlalchemy import text

from benchmarks.worlds import caller, payment, service
from crossway.bootstrap import Service
from crossway.domain.analytics import AnalyticsPeriod, Dimension
from crossway.domain.clients import staff_principal
from crossway.domain.filters import FilterSet, parse_filters
from crossway.domain.intent import Intent
from crossway.ports.analytics import AnalyticsQuery
from crossway.storage.intent_rows import intent_row
from crossway.usecases.money.analytics import get_report, parse_period, stream_filtered_report
from crossway.usecases.operating.payment_figures import count_changes

STORED = 1_000_000
MERCHANTS, SLICE = 200, 100_000
GOAL_COUNT_MS, GOAL_GROUPING, GOAL_FILTER = 0.25, 1.0, 5.0
YEAR_MICROS = 365 * 86_400 * 1_000_000
NUMBERS = (
    "WITH RECURSIVE numbers(n) AS (SELECT :low UNION ALL SELECT n + 1 FROM numbers WHERE n < :high)"
)
STATE = (
    "CASE WHEN n % 25 = 0 THEN 'EXPIRED' WHEN n % 50 = 7 THEN 'REFUNDED' "
    "WHEN n % 100 = 3 THEN 'FAILED' ELSE 'COMPLETED' END"
)
SOURCE_CHAIN = (
    "CASE n * 31 % 6 WHEN 0 THEN 'SOLANA_MAINNET' WHEN 1 THEN 'POLYGON_MAINNET' "
    "WHEN 2 THEN 'ARBITRUM_MAINNET' WHEN 3 THEN 'ETHEREUM_MAINNET' ELSE 'BASE_MAINNET' END"
)
DESTINATION_CHAIN = (
    "CASE n * 17 % 5 WHEN 0 THEN 'OPTIMISM_MAINNET' WHEN 1 THEN 'TRON_MAINNET' "
    "WHEN 2 THEN 'STARKNET_MAINNET' WHEN 3 THEN 'BSC_MAINNET' ELSE 'AVALANCHE_MAINNET' END"
)
# The columns that differ by payment, as SQL; `n` counts from 1.
OWN = {
    "client_id": f"'shop-' || (n * 7919 % {MERCHANTS})",
    "mode": "'live'",
    "intent_hash": "printf('0x%064x', n + 1)",
    "address": "printf('0xa%039x', n)",
    "destination_address": "printf('0xd%039x', n)",
    "nonce": "'9' || n",
    "source_chain": SOURCE_CHAIN,
    "destination_chain": DESTINATION_CHAIN,
    "asset_symbol": "CASE n % 7 WHEN 0 THEN 'USDT' WHEN 1 THEN 'DAI' ELSE 'USDC' END",
    "bridge": "CASE n % 3 WHEN 0 THEN 'ACROSS' WHEN 1 THEN 'GATEWAY' ELSE 'CCTP' END",
    "amount_micro_usd": "(n * 7919 % 5000) * 1000000",
    "state": STATE,
    "received_amount": "CASE WHEN n % 25 = 0 THEN '0' ELSE '25063250' END",
    "created_at": ":oldest + n * :apart",
    "updated_at": ":oldest + n * :apart",
}
TRANSITIONS = f"""
INSERT INTO transitions (event_id, intent_id, at, event, from_state, to_state, event_type, note)
{NUMBERS},
steps(k, event, from_state, to_state, seconds) AS (VALUES
 (0, 'CREATED', NULL, 'PENDING', 0), (1, 'DEPOSIT_FULL', 'PENDING', 'FUNDED', 60),
 (2, 'STARTED', 'FUNDED', 'INITIATED', 75), (3, 'FILLED', 'INITIATED', 'COMPLETED', 90),
 (4, 'LEDGER_ONLY', 'COMPLETED', 'COMPLETED', 200),
 (5, 'DEADLINE_EMPTY', 'PENDING', 'EXPIRED', 3600),
 (6, 'FILL_REFUSED', 'INITIATED', 'FAILED', 120), (7, 'RETURNED', 'FAILED', 'REFUNDED', 200))
SELECT printf('evt_%032x', n * 10 + k), n, :oldest + n * :apart + (seconds + n * k % 40) * 1000000,
 event, from_state, to_state, NULL, ''
FROM numbers CROSS JOIN steps ON k IN (0, 1, 2)
 AND (k = 0 OR {STATE} <> 'EXPIRED') OR k IN (3, 4) AND {STATE} = 'COMPLETED'
 OR k = 5 AND {STATE} = 'EXPIRED' OR k = 6 AND {STATE} IN ('FAILED', 'REFUNDED')
 OR k = 7 AND {STATE} = 'REFUNDED'"""
POSTINGS = f"""
INSERT INTO postings (intent_id, chain, token, debit, credit, amount, tx, at)
{NUMBERS},
fees(account, other, amount) AS (VALUES ('held', 'payer', '25063250'),
 ('service_fees', 'escrow', '10000'), ('bridge_fees', 'escrow', '53250'),
 ('network_fees', 'inventory', 'there'), ('network_fees', 'inventory', 'here')),
booked AS (SELECT n, account, other, amount, CASE amount WHEN 'there' THEN {DESTINATION_CHAIN}
 ELSE {SOURCE_CHAIN} END AS chain FROM numbers CROSS JOIN fees WHERE {STATE} = 'COMPLETED')
SELECT n, chain, 't', account, other, CASE WHEN account <> 'network_fees' THEN amount
 WHEN chain = 'SOLANA_MAINNET' THEN '10000' WHEN chain = 'TRON_MAINNET' THEN '345000'
 ELSE '10065425264218' END, 'x', :oldest + n * :apart FROM booked"""
FILTERS = {
    "one token and chain": "token:USDC;from:BASE_MAINNET",
    "a range of values": "value:100..4000;!state:EXPIRED",
    "underpaid": "exception:short",
    "every payment": "!state:PENDING",
}
Row = tuple[str, str, str, bool]


def run(stored: int = STORED) -> list[Row]:
    """(name, figure, goal, met)."""
    with service() as built:
        oldest = fill(built, payment(built, caller(built)), stored)
        counting = measure(lambda: count_all(built))
        period = _year(built, oldest)
        groupings = {
            f"by {dimension}": measure(partial(_report, built, period, dimension))
            for dimension in Dimension
        }
        filtered = {
            name: measure(partial(_filter, built, period, conditions))
            for name, conditions in FILTERS.items()
        }
    each = counting * 1000 / stored
    rows = [("ms to count a payment", f"{each:.3f}", f"<= {GOAL_COUNT_MS}", each <= GOAL_COUNT_MS)]
    for goal, figures in ((GOAL_GROUPING, groupings), (GOAL_FILTER, filtered)):
        rows += [
            (f"s a year {name}, {stored:,} payments", f"{took:.2f}", f"<= {goal:g}", took <= goal)
            for name, took in figures.items()
        ]
    return rows


def measure(work: Callable[[], object]) -> float:
    """Its processor seconds."""
    began = time.process_time()
    work()
    return time.process_time() - began


def fill(built: Service, model: Intent, stored: int) -> int:
    """Insert a year of payments up to now; returns when it began, in microseconds."""
    row = intent_row(model)
    apart = YEAR_MICROS // stored
    oldest = row["created_at"] - apart * (stored + 2)
    columns = [name for name in row if name not in OWN]
    names = ", ".join(f'"{name}"' for name in ("id", *columns, *OWN))
    values = ", ".join(("n", *(f":{name}" for name in columns), *OWN.values()))

    insert = f"INSERT INTO intents ({names}) {NUMBERS} SELECT {values} FROM numbers"
    for low in range(2, stored + 2, SLICE):
        span = {"low": low, "high": min(low + SLICE, stored + 2) - 1}
        span |= {"oldest": oldest, "apart": apart}
        with built.store.writer.begin() as db:
            db.execute(text(insert), {name: row[name] for name in columns} | span)
            db.execute(text(TRANSITIONS), span)
            db.execute(text(POSTINGS), span)
    return int(oldest)


def count_all(built: Service) -> None:
    """Count every payment, as the engine does slice by slice."""
    while count_changes(built.store):
        pass


def _year(built: Service, oldest: int) -> AnalyticsPeriod:
    start = datetime.fromtimestamp(oldest // 1_000_000, UTC)
    return parse_period(built.services, start, built.services.clock.now())


def _report(built: Service, period: AnalyticsPeriod, dimension: Dimension) -> None:
    get_report(built.services, staff_principal("benchmark"), AnalyticsQuery(period, dimension))


def _filter(built: Service, period: AnalyticsPeriod, conditions: str) -> None:
    filters = FilterSet(parse_filters(conditions, "all"))
    query = AnalyticsQuery(period, Dimension.ROUTE)
    for _ in stream_filtered_report(built.services, staff_principal("benchmark"), query, filters):
        pass


if __name__ == "__main__":
    for label, figure, goal, met in run():
        print(f"{'ok  ' if met else 'MISS'}  {label}: {figure}  (goal {goal})", flush=True)
