"""What a payment costs where one, two or four engines share one pair of chains, on PostgreSQL.

Each engine is a process. In each round, as many payments arrive for each of them, and each runs a
pass: one after the other for what a payment costs, and at the same time for how many end in a
second. That shows only where there is a free core for each of them, and for PostgreSQL. Simulated
chains are subtracted from the engines' processor time, but not from PostgreSQL's, which keeps them.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.database_work import read_processor_seconds
from benchmarks.engine_work import (
    Spent,
    count_completed,
    create,
    is_done,
    measure_simulated,
    pay,
)
from benchmarks.worlds import DESTINATION, SOURCE, caller, payment, service_in
from crossway.bootstrap import warm_up
from crossway.engine.loop import Engine
from crossway.ports.shards import ALL_SHARDS
from tests.databases import new_postgres
from tests.postgres import running_postgres

ENGINES, SHARDS = (1, 2, 4), 4
ARRIVING, ROUNDS, WARMING_ROUNDS = 50, 10, 4
# What is done every few seconds costs each engine the same, and would be done more often here the
# more engines share the processor.
HOUSEKEEPING_SECONDS = 3_600
# By how much a payment may cost more with several engines: runs on a busy machine differ so much.
GOAL_RATIO, GOAL_THROUGHPUT = 1.1, 1.6
Row = tuple[str, str, str, bool]


class Worker:
    """An engine in a process of its own, which runs a pass when it is told to."""

    def __init__(self, folder: Path, url: str, number: int) -> None:
        command = [sys.executable, "-m", "benchmarks.engines", str(folder), url, str(number)]
        division = f"{SOURCE}={SHARDS},{DESTINATION}={SHARDS}"
        environment = {**os.environ, "CROSSWAY_SHARDS": division}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, text=True, env=environment
        )
        self.shards = ""
        """How many of the source it holds."""
        self._answer()

    def begin_pass(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("pass\n")
        self._process.stdin.flush()

    def end_pass(self) -> float:
        """The processor seconds of the pass, without simulated chains."""
        seconds, self.shards = self._answer().split()
        return float(seconds)

    def stop(self) -> None:
        """End the process, which gives up its leases."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


class Installation:
    """A database with its engines, and what they have used."""

    def __init__(self, server: str, count: int, stack: ExitStack) -> None:
        self.count, self._url = count, stack.enter_context(new_postgres(server))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="crossway-bench-")))
        self._built = stack.enter_context(service_in(folder, self._url))
        self._model = payment(self._built, caller(self._built))
        self._workers = [Worker(folder, self._url, number) for number in range(count)]
        for worker in self._workers:
            stack.callback(worker.stop)
        while [worker.shards for worker in self._workers] != [str(SHARDS // count)] * count:
            time.sleep(1)
            for worker in self._workers:
                worker.begin_pass()
                worker.end_pass()
        self.begin(0)

    def begin(self, rounds: int) -> None:
        """Create the payments that arrive in so many rounds; nothing is used so far."""
        self._payments = create(self._built, self._model, ARRIVING * self.count * rounds)
        self._aim = count_completed(self._built) + len(self._payments)
        self._arrived, self.paid = 0, len(self._payments)
        self.engine_seconds = self.database_seconds = self.seconds = 0.0

    def is_done(self) -> bool:
        """Whether all have arrived, and nothing is left to do."""
        return self._arrived >= self.paid and is_done(self._built, self._aim)

    def run_round(self, at_once: bool) -> None:
        """Let the next payments arrive and every engine run a pass, at the same time or in turn."""
        until = self._arrived + ARRIVING * self.count
        if arriving := self._payments[self._arrived : until]:
            pay(self._built, arriving)
        self._arrived = until
        assert self._built.services.sandbox is not None
        self._built.services.sandbox.advance(1)
        used, began = read_processor_seconds(self._url), time.perf_counter()
        for group in [self._workers] if at_once else [[worker] for worker in self._workers]:
            for worker in group:
                worker.begin_pass()
            self.engine_seconds += sum(worker.end_pass() for worker in group)
        self.seconds += time.perf_counter() - began
        self.database_seconds += read_processor_seconds(self._url) - used


def run(engines: Sequence[int] = ENGINES, rounds: int = ROUNDS) -> list[Row]:
    """(name, figure, goal, met)."""
    with running_postgres() as server, ExitStack() as stack:
        installations = [Installation(server, count, stack) for count in engines]
        _pay_in_rounds(installations, WARMING_ROUNDS, at_once=True)
        _pay_in_rounds(installations, rounds, at_once=False)
        rows = [row for one in installations for row in _costs(one, installations[0])]
        _pay_in_rounds(installations, rounds, at_once=True)
        return rows + [_throughput(one, installations[0]) for one in installations]


def _pay_in_rounds(installations: Sequence[Installation], rounds: int, at_once: bool) -> None:
    for one in installations:
        one.begin(rounds)
    # In turn, so that whatever else the machine does slows each of them down alike.
    while open_ones := [one for one in installations if not one.is_done()]:
        for one in open_ones:
            one.run_round(at_once)


def _costs(one: Installation, first: Installation) -> list[Row]:
    ms, first_ms = (i.engine_seconds / i.paid * 1000 for i in (one, first))
    database_ms = f"{one.database_seconds / one.paid * 1000:.2f}"
    figure, goal = f"{ms:.2f}, {ms / first_ms:.2f} x", f"<= {GOAL_RATIO} x"
    what = _describe(one)
    return [
        (f"{what}, ms of processor a payment", figure, goal, ms <= GOAL_RATIO * first_ms),
        (f"{what}, ms of PostgreSQL a payment", database_ms, "a unit cost", True),
    ]


def _throughput(one: Installation, first: Installation) -> Row:
    rate, first_rate = (i.paid / i.seconds for i in (one, first))
    figure, goal = f"{rate:.0f}, {rate / first_rate:.2f} x", "with free cores"
    if one.count != 2:
        return (f"{_describe(one)}, payments a second", figure, goal, True)
    met = rate >= GOAL_THROUGHPUT * first_rate
    goal = f">= {GOAL_THROUGHPUT} x {goal}"
    return (f"{_describe(one)}, payments a second", figure, goal, met)


def _describe(one: Installation) -> str:
    return f"{one.count} engine{'s' if one.count > 1 else ''} on one pair of chains"


def _work(folder: Path, url: str, number: str) -> None:
    """Run passes of one engine, as often as a line arrives."""
    with service_in(folder, url) as built:
        of_chains = Spent()
        engine = Engine(
            measure_simulated(built.services, of_chains),
            f"engine {number}",
            housekeeping_seconds=HOUSEKEEPING_SECONDS,
        )
        warm_up()
        print("ready", flush=True)
        for _ in sys.stdin:
            # As often as there is a pass: leases are shared out before anything is measured.
            began, of_chains.seconds = time.process_time(), 0.0
            engine.tick()
            seconds = time.process_time() - began - of_chains.seconds
            shards = engine._leases.shards.get(SOURCE)
            held = SHARDS if shards == ALL_SHARDS else len(shards.held) if shards else 0
            print(seconds, held, flush=True)
        engine.stop()


if __name__ == "__main__":
    _work(Path(sys.argv[1]), *sys.argv[2:])
