"""Concurrent API writes on SQLite: shared commits against serialised ones.

The figures of docs/decisions/0001.
"""

import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from uuid import uuid4

from sqlalchemy import create_engine, event

from crossway.domain.costs import Costs
from crossway.domain.intent import Intent, State, Terms
from crossway.ports.store import UnitOfWork
from crossway.storage.migrate import upgrade
from crossway.storage.store import SqlStore, connect

THREADS = (1, 8, 40)
SECONDS, ROUNDS = 1.0, 5
GOAL_TIMES, GOAL_WAIT = 2.0, 1 / 3
NOW = datetime(2026, 11, 21, tzinfo=UTC)
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Measured:
    """Writes per second, and p50 and p99 of their duration in milliseconds."""

    per_second: float
    p50_ms: float
    p99_ms: float

    def __str__(self) -> str:
        return f"{self.per_second:,.0f}/s, p50 {self.p50_ms:.1f} ms, p99 {self.p99_ms:.1f} ms"


def grouped(url: str) -> SqlStore:
    """As in the product: one thread commits the work of all waiting threads."""
    return SqlStore(*connect(url))


def queued(url: str) -> SqlStore:
    """One commit each; threads queue for the single writing connection."""
    return SqlStore(*connect(url), group_commit=False)


def polling(url: str) -> SqlStore:
    """One commit and one connection each; SQLite makes them wait at BEGIN IMMEDIATE."""
    _, reader = connect(url)
    writer = create_engine(url, pool_size=40)

    @event.listens_for(writer, "connect")
    def prepare(connection: object, _: object) -> None:
        connection.isolation_level = None  # type: ignore[attr-defined]
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000"):
            connection.execute(f"PRAGMA {pragma}").close()  # type: ignore[attr-defined]

    event.listen(writer, "begin", lambda db: db.exec_driver_sql("BEGIN IMMEDIATE"))
    return SqlStore(writer, reader, group_commit=False)


WAYS: tuple[Callable[[str], SqlStore], ...] = (grouped, queued, polling)


def run() -> list[tuple[str, str, str, bool]]:
    """(name, figure, goal, met): the product's method against the plain ones."""
    rows = []
    for threads in THREADS:
        comparison = compare(threads)
        plain = [measured for name, measured in comparison.items() if name != "grouped"]
        most = max(measured.per_second for measured in plain)
        least_wait = min(measured.p99_ms for measured in plain)
        ours = comparison["grouped"]
        for name, measured in comparison.items():
            rows.append(
                (f"{name} commits, {threads} threads", str(measured), "for comparison", True)
            )
        if threads == max(THREADS):
            times = ours.per_second / most
            rows += [
                (
                    f"shared commits against the best plain way, {threads} threads",
                    f"{times:.1f} times as many",
                    f"≥ {GOAL_TIMES:g} times",
                    times >= GOAL_TIMES,
                ),
                (
                    f"the slowest of 100 writes, {threads} threads",
                    f"{ours.p99_ms:.0f} ms against {least_wait:.0f} ms",
                    "≤ a third",
                    ours.p99_ms <= least_wait * GOAL_WAIT,
                ),
            ]
    return rows


def compare(threads: int) -> dict[str, Measured]:
    """Alternate between the methods, so that other work of the machine affects all alike."""
    rounds: dict[str, list[Measured]] = {way.__name__: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ROUNDS):
            for way in WAYS:
                url = f"sqlite:///{Path(folder) / f'{way.__name__}-{number}.db'}"
                rounds[way.__name__].append(measure(way, url, threads))
    return {
        name: Measured(
            median(m.per_second for m in found),
            median(m.p50_ms for m in found),
            median(m.p99_ms for m in found),
        )
        for name, found in rounds.items()
    }


def measure(way: Callable[[str], SqlStore], url: str, threads: int) -> Measured:
    """Create intents in a loop on several threads for `SECONDS`."""
    store = way(url)
    upgrade(store.writer)
    took: list[float] = []
    begin = threading.Barrier(threads)

    def create() -> None:
        begin.wait()
        end = time.perf_counter() + SECONDS
        while (start := time.perf_counter()) < end:
            store.write(_add)
            took.append(time.perf_counter() - start)

    workers = [threading.Thread(target=create) for _ in range(threads)]
    started = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    seconds = time.perf_counter() - started
    store.close()
    hundredths = quantiles(took, n=100)
    return Measured(len(took) / seconds, median(took) * 1000, hundredths[98] * 1000)


def _add(unit: UnitOfWork) -> None:
    unit.intents.add(_intent(next(_numbers)), f"evt_{uuid4().hex}")


def _intent(number: int) -> Intent:
    terms = Terms(
        nonce=2**200 + number,
        source_chain="BASE_MAINNET",
        destination_chain="ARBITRUM_MAINNET",
        token_in="0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        token_out="0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
        deposit_amount=25_100_000,
        payout_amount=25_000_000,
        recipient=f"0x{number:040x}",
        refund_address=f"0x{number:040x}",
        bridge="CCTP",
        expires_at=NOW + timedelta(hours=1),
    )
    return Intent(
        id=0,
        client_id="client",
        mode="test",
        intent_hash=f"0x{number:064x}",
        address=f"0xa{number:039x}",
        destination_address=f"0xd{number:039x}",
        deposit_token_account=None,
        terms=terms,
        costs=Costs(25_000_000, 10_000, 80_000, 10_000, 90_000, 10_000),
        sender=f"0x{number:040x}",
        requested_amount=25_000_000,
        amount_symbol="USDC",
        asset_symbol="USDC",
        asset_decimals=6,
        out_symbol="USDC",
        out_decimals=6,
        slippage="0",
        settle_seconds=900,
        bridge_data="",
        coordinator="0xc",
        bridger="0xb",
        metadata={"order": number},
        payment_link_id=None,
        state=State.PENDING,
        received_amount=0,
        balance_at_address=0,
        relayer="",
        relayer_claimed=False,
        needs_relay=False,
        tx_hash=None,
        created_at=NOW,
        updated_at=NOW,
    )


if __name__ == "__main__":
    for name, figure, goal, met in run():
        print(f"{name}: {figure} (goal {goal}) {'met' if met else 'MISSED'}")
