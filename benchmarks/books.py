"""Ledger reads: the trial balance and an account's page, at growing sizes."""

import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles

from sqlalchemy import Engine, insert

from crossway.domain.ledger import Account, Posting
from crossway.ports.treasury_repository import PostingFilter
from crossway.storage.migrate import upgrade
from crossway.storage.store import SqlStore, connect
from crossway.storage.tables import postings

SIZES = (1_000, 100_000)
GOAL_MS, GOAL_GROWTH = 200.0, 1.3
ROUNDS = 200
# Growth below this is noise of the machine.
FLOOR_MS = 1.0
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_DAYS = 300
_CHAINS = tuple(f"CHAIN_{number}" for number in range(3))
_PAIRS = (
    (Account.HELD, Account.PAYER),
    (Account.ESCROW, Account.HELD),
    (Account.RECIPIENT, Account.INVENTORY),
    (Account.INVENTORY, Account.ESCROW),
)
_BATCH = 10_000
_KEY = (Account.INVENTORY, "CHAIN_1", "usdc")
_DAY = (_BEGAN.date() - datetime(1970, 1, 1, tzinfo=UTC).date()).days


def run() -> list[tuple[str, str, str, bool]]:
    """(name, figure, goal, met): p95 at the largest size, and the growth of the median, which other
    work of the machine disturbs less."""
    figures: dict[str, list[tuple[float, float]]] = {}
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            store = _filled(Path(folder), size)
            for name, work in _asked(store, size).items():
                figures.setdefault(name, []).append(_times_ms(work))
            store.close()
    return [
        (
            f"{name} at {SIZES[-1]:,} postings, p95",
            f"{found[-1][1]:.2f} ms, {_growth(found):.2f} x that at {SIZES[0]:,}",
            f"{GOAL_MS:.0f} ms, {GOAL_GROWTH} x",
            found[-1][1] <= GOAL_MS and _growth(found) <= GOAL_GROWTH,
        )
        for name, found in figures.items()
    ]


def _growth(found: list[tuple[float, float]]) -> float:
    return max(found[-1][0], FLOOR_MS) / max(found[0][0], FLOOR_MS)


def _asked(store: SqlStore, size: int) -> dict[str, Callable[[], object]]:
    def page(**more: int) -> object:
        with store.read() as unit:
            return unit.ledger.list_page(PostingFilter(_KEY, **more), 51)

    def balances() -> object:
        with store.read() as unit:
            return unit.ledger.get_balances()

    def before() -> object:
        with store.read() as unit:
            return unit.ledger.get_balances_before(_DAY + 40)

    return {
        "trial balance": balances,
        "trial balance of an earlier day": before,
        "an account's newest page": page,
        "an account's page in the middle": lambda: page(before_id=size // 2),
        "an account's page of some days": lambda: page(first_day=_DAY + 10, last_day=_DAY + 70),
    }


def _times_ms(work: Callable[[], object]) -> tuple[float, float]:
    """Median and p95."""
    work()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times) * 1_000, quantiles(times, n=20)[18] * 1_000


def _filled(folder: Path, size: int) -> SqlStore:
    """A ledger with this many postings over several days, written through the product's writer."""
    writer, reader = connect(f"sqlite:///{folder / 'books.db'}")
    upgrade(writer)
    store = SqlStore(writer, reader)
    # Every account exists from the first day on, as in a ledger in use.
    first = [_posting(number) for number in range(len(_PAIRS) * len(_CHAINS))]
    days = min(_DAYS, size // len(first))
    for day in range(days):
        at = _BEGAN + timedelta(days=day)
        store.write(lambda unit, at=at: unit.ledger.post(first, at))  # type: ignore[misc]
    _bulk(writer, size - len(first) * days)
    return store


def _bulk(writer: Engine, size: int) -> None:
    step = timedelta(days=_DAYS) / max(size, 1)
    for start in range(0, size, _BATCH):
        numbers = range(start, min(size, start + _BATCH))
        rows = [_row(number, _BEGAN + step * number) for number in numbers]
        with writer.begin() as db:
            db.execute(insert(postings), rows)


def _posting(number: int) -> Posting:
    debit, credit = _PAIRS[number % len(_PAIRS)]
    chain = _CHAINS[number // len(_PAIRS) % len(_CHAINS)]
    return Posting(number, chain, "usdc", debit, credit, 1_000_000 + number, f"tx-{number}")


def _row(number: int, at: datetime) -> dict[str, object]:
    created = _posting(number)
    return {
        "intent_id": created.intent_id, "chain": created.chain, "token": created.token,
        "debit": created.debit.value, "credit": created.credit.value, "amount": str(created.amount),
        "tx": created.tx, "at": int(at.timestamp() * 1_000_000),
    }  # fmt: skip
