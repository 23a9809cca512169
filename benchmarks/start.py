"""The cost of a start, of rest, and of memory, of the API alone and of the whole process.

Processor time is the user and system time of the process from its start to its first 200 of each
awaited path. Wall time says little on a shared machine and is not judged.
"""

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.servers import API, WHOLE, Server, serving
from benchmarks.worlds import alike, caller, payment, service_in, store_pending

STARTS = 5
SOME, MANY = 300, 100_000
SETTLE_SECONDS, REST_SECONDS = 30.0, 60.0
GOAL_API_SECONDS, GOAL_WHOLE_SECONDS = 0.8, 2.0
GOAL_REST_PERCENT, GOAL_MEMORY_MB = 1.0, 220.0
Row = tuple[str, str, str, bool]


def run() -> list[Row]:
    """(name, figure, goal, met)."""
    return list(rows())


def rows(starts: int = STARTS, rest_seconds: float = REST_SECONDS) -> Iterator[Row]:
    """Each figure as soon as it is measured."""
    with tempfile.TemporaryDirectory(prefix="crossway-benchmark-") as place:
        for pending in (0, SOME, MANY):
            folder = Path(place) / str(pending)
            _fill(folder, pending)
            yield _start("crossway api", API, folder, pending, starts, GOAL_API_SECONDS)
            yield _start("the whole", WHOLE, folder, pending, starts, GOAL_WHOLE_SECONDS)
            yield from _rest(folder, pending, rest_seconds)
            shutil.rmtree(folder)


def _fill(folder: Path, pending: int) -> None:
    """A database that a server has used, with payments that nobody has paid yet."""
    folder.mkdir()
    with serving(folder):
        pass
    if pending:
        with service_in(folder) as built:
            model = payment(built, caller(built))
            for first in range(1, pending, 10_000):
                store_pending(built, alike(built, model, first, min(10_000, pending)))


def _start(
    what: str, command: tuple[str, ...], folder: Path, pending: int, starts: int, goal: float
) -> Row:
    """The median start; every server but the last is killed, as by a power cut."""
    seconds = []
    for _ in range(starts):
        with serving(folder, command, killed=True) as server:
            seconds.append(server.started_with)
    shown = f"{median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})"
    name = f"processor time of a start of {what} after kill -9, {pending} unfinished payments"
    return name, shown, f"<= {goal:g} s", median(seconds) <= goal


def _rest(folder: Path, pending: int, seconds: float) -> Iterator[Row]:
    """Processor time and memory of a process that nobody uses."""
    with serving(folder) as server:
        time.sleep(SETTLE_SECONDS)
        percent = 100 * _used(server, seconds) / seconds
        memory = server.memory_mb()
    yield (
        f"the whole at rest, {pending} unfinished payments, over {seconds:g} s",
        f"{percent:.2f} % of a core",
        f"<= {GOAL_REST_PERCENT:g} %",
        percent <= GOAL_REST_PERCENT,
    )
    yield (
        f"memory at rest, {pending} unfinished payments, RSS",
        f"{memory:.0f} MB",
        f"<= {GOAL_MEMORY_MB:g} MB",
        memory <= GOAL_MEMORY_MB,
    )


def _used(server: Server, seconds: float) -> float:
    before = server.processor_seconds()
    time.sleep(seconds)
    return server.processor_seconds() - before
