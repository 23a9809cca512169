"""What lists, counts and overviews cost with a thousand to a million stored payments.

Every list is asked in turn of databases with a thousand, a hundred thousand and a million payments;
figures are processor time, with that of PostgreSQL's own processes, and on SQLite the steps of its
virtual machine, which depend on nothing but what is stored. With the URL of a PostgreSQL server in
BENCHMARK_POSTGRES, its databases are asked instead.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

from sqlalchemy import event, text

from benchmarks.asked_lists import Asked, list_asked
from benchmarks.histories import add_history
from crossway.bootstrap import Service, build
from crossway.settings import Settings
from tests.databases import new_postgres

SIZES = (1_000, 100_000, 1_000_000)
GOAL_GROWTH = 1.5
ROUNDS, WARM_UP, REPEATS = 15, 3, 4
_STEP = 10  # instructions of SQLite between two calls of the handler
Row = tuple[str, str, str, bool]


def run(sizes: tuple[int, ...] = SIZES, rounds: int = ROUNDS) -> Iterator[Row]:
    """(name, figure, goal, met) of each list."""
    server = os.environ.get("BENCHMARK_POSTGRES")
    with ExitStack() as opened:
        asked = []
        for size in sizes:
            built = opened.enter_context(_service(server))
            asked.append((built, list_asked(add_history(built, size))))
        yield from measure(asked, rounds)


def measure(asked: list[tuple[Service, dict[str, Asked]]], rounds: int = ROUNDS) -> Iterator[Row]:
    """The rows of what is asked of each database, the smallest first."""
    meters = [_Meter(built) for built, _ in asked]
    for name in asked[0][1]:
        works = [of[name] for _, of in asked]
        steps = [meter.count_steps(work) for meter, work in zip(meters, works, strict=True)]
        times: list[list[float]] = [[] for _ in works]
        for turn in range(WARM_UP + rounds):
            for meter, work, took in zip(meters, works, times, strict=True):
                spent = meter.spend(work)
                if turn >= WARM_UP:
                    took.append(spent)
        took_ms = [median(of) for of in times]
        growth = took_ms[-1] / took_ms[0]
        figure = f"x {growth:.2f} ({' / '.join(f'{ms:.2f}' for ms in took_ms)} ms"
        if all(steps):
            figure += f"; {' / '.join(f'{n:,}' for n in steps).replace(',', ' ')} steps"
        yield (name, f"{figure})", f"<= x {GOAL_GROWTH:g}", growth <= GOAL_GROWTH)


class _Meter:
    """Measures work on one service."""

    def __init__(self, built: Service) -> None:
        self._built = built
        self._steps = 0
        self._counting = False
        self._postgres = built.store.reader.dialect.name == "postgresql"

    def spend(self, work: Callable[[], object]) -> float:
        """Processor milliseconds of work, the database's included."""
        began, served = time.process_time(), self._served()
        for _ in range(REPEATS):
            work()
        own = time.process_time() - began
        return (own + self._served() - served) * 1_000 / REPEATS

    def count_steps(self, work: Callable[[], object]) -> int:
        """The instructions that SQLite needs; 0 for PostgreSQL."""
        if self._postgres:
            return 0
        reader, self._steps = self._built.store.reader, 0
        reader.dispose()
        event.listen(reader, "connect", self._watch)
        try:
            work()
        finally:
            event.remove(reader, "connect", self._watch)
            reader.dispose()
        return self._steps

    def _watch(self, connection: object, _: object) -> None:
        connection.set_progress_handler(self._count, _STEP)  # type: ignore[attr-defined]

    def _count(self) -> int:
        self._steps += _STEP
        return 0

    def _served(self) -> float:
        """Processor seconds of PostgreSQL's processes that serve this database."""
        if not self._postgres:
            return 0.0
        with self._built.store.reader.connect() as db:
            query = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
            pids = list(db.execute(text(query)).scalars())
        ran = (Path(f"/proc/{pid}/schedstat").read_text().split()[0] for pid in pids)
        return sum(map(int, ran)) / 1e9


@contextmanager
def _service(server: str | None) -> Iterator[Service]:
    with ExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="crossway-benchmark-"))
        url = opened.enter_context(new_postgres(server)) if server else None
        built = build(Settings(data_dir=Path(folder), database_url=url, loopback_webhooks=True))
        opened.callback(built.close)
        yield built


if __name__ == "__main__":
    for label, figure, goal, met in run():
        print(f"{'ok  ' if met else 'MISS'}  {label}: {figure}  (goal {goal})", flush=True)
