"""Two loads played through every station that a payment passes, by the unit costs in
`scaling.toml`: how busy each is, and how long payments wait there. Nothing is measured here, so the
result is the same everywhere; `docs/scaling.md` has it in its table.

A payment is created (API, PostgreSQL), paid in a block of its source, worked on by the engine of
that chain (and PostgreSQL), sent in a transaction of a relayer account, attested to by the bridge's
service, and worked on and delivered at its destination. The time that payers take and Circle waits
for is left out: it delays payments and keeps no station busy.
"""

import heapq
import math
import random
import tomllib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_suffix(".toml")
SEED = 22
# Queues fill in the first part of a run, which does not count.
WARM_UP = 0.2
GOAL_BUSY = 0.70
Row = tuple[str, str, str, bool]


@dataclass(frozen=True)
class Result:
    """How busy a station was, of 1, and how long half and 99 of 100 waited at it, in ms."""

    busy: float
    p50_ms: float
    p99_ms: float

    def __str__(self) -> str:
        return f"{self.busy:.0%}, {_ms(self.p50_ms)} / {_ms(self.p99_ms)}"


def _ms(ms: float) -> str:
    return f"{ms:.0f} ms" if ms < 1_000 else f"{ms / 1_000:.1f} s"


@dataclass
class Station:
    """What several alike places have in common: the time that they were busy, and the waits."""

    places: int
    begin: float
    end: float
    used: float = 0.0
    waits: list[float] = field(default_factory=list)

    def record(self, arrived: float, started: float, seconds: float) -> None:
        """Something that arrived was served from `started` on for so long."""
        if self.begin <= arrived < self.end:
            self.waits.append(started - arrived)
        within = min(started + seconds, self.end) - max(started, self.begin)
        self.used += max(within, 0.0)

    def result(self) -> Result:
        waits = sorted(self.waits)
        middle, late = (waits[int(len(waits) * share)] * 1_000 for share in (0.5, 0.99))
        return Result(self.used / (self.places * (self.end - self.begin)), middle, late)


class Servers:
    """Places that serve in the order of arrival, with one queue for all of them."""

    def __init__(self, count: int, station: Station) -> None:
        self._free_at, self._station = [0.0] * count, station

    def serve(self, now: float, seconds: float) -> float:
        """When what arrives now is served."""
        start = max(now, self._free_at[0])
        heapq.heapreplace(self._free_at, start + seconds)
        self._station.record(now, start, seconds)
        return start + seconds


class World:
    """One plan at work; `events` are calls by their time."""

    def __init__(self, table: dict[str, Any], plan: dict[str, Any]) -> None:
        self.cost = {name: entry["value"] for name, entry in table["costs"].items()}
        self.limit = {name: entry["value"] for name, entry in table["limits"].items()}
        self.plan = plan
        self.seconds = float(plan["seconds"])
        self.events: list[tuple[float, int, Callable[[float], None]]] = []
        self._numbers = 0
        self.rng = random.Random(SEED)
        chains, engines = plan["chains"], plan["engines_a_chain"]
        places = {
            "API processes": plan["api_processes"],
            "PostgreSQL, cores": plan["database_cores"],
            "engines": chains * engines,
            "accounts that send": chains * plan["accounts_a_chain"],
            "gas of the chains": chains,
            "Circle's answers": plan["bridge_callers"],
            "nodes": chains,
        }
        begin = self.seconds * WARM_UP
        self.stations = {n: Station(count, begin, self.seconds) for n, count in places.items()}
        self.api = self._servers("API processes", plan["api_processes"])
        self.database = self._servers("PostgreSQL, cores", plan["database_cores"])
        self.bridge = self._servers("Circle's answers", plan["bridge_callers"])
        self.chains = [Chain(self) for _ in range(chains)]

    def _servers(self, name: str, count: int) -> Servers:
        return Servers(count, self.stations[name])

    def at(self, time: float, call: Callable[[float], None]) -> None:
        """Call something at a time, in the order in which it was asked for among equals."""
        self._numbers += 1
        heapq.heappush(self.events, (time, self._numbers, call))

    def run(self) -> dict[str, Result]:
        self.at(0.0, self._create)
        for chain in self.chains:
            self.at(self.rng.random() * self.limit["block_seconds"], chain.mine)
        while self.events:
            now, _, call = heapq.heappop(self.events)
            if now >= self.seconds:
                break
            call(now)
        return {name: station.result() for name, station in self.stations.items()}

    def _create(self, now: float) -> None:
        """A payment arrives, and the next is on its way."""
        # By `random` alone, whose numbers are the same in every version of Python.
        gap = -math.log(1.0 - self.rng.random()) / self.plan["payments_a_second"]
        self.at(now + gap, self._create)
        first = self.pick(len(self.chains))
        second = (first + 1 + self.pick(len(self.chains) - 1)) % len(self.chains)
        source, destination = self.chains[first], self.chains[second]
        done = self.api.serve(now, self.cost["api_ms"] / 1_000)
        self.at(done, lambda at: self._store_created(at, source, destination))

    def _store_created(self, now: float, source: "Chain", destination: "Chain") -> None:
        done = self.database.serve(now, self.cost["database_create_ms"] / 1_000)
        self.at(done, lambda at: source.pay(at, destination))

    def pick(self, count: int) -> int:
        """A number below `count`, each as likely."""
        return int(self.rng.random() * count)


class Chain:
    """A chain with its engines, accounts that send and node. It mines blocks for ever."""

    def __init__(self, world: World) -> None:
        self._world = world
        stations = world.stations
        # Payments are dealt out to the engines of a chain by their hash.
        self._engines = [
            Servers(1, stations["engines"]) for _ in range(world.plan["engines_a_chain"])
        ]
        self._node = Servers(1, stations["nodes"])
        self._paid: list[Chain] = []
        self._due: deque[tuple[float, Chain | None]] = deque()

    def pay(self, now: float, destination: "Chain") -> None:
        """A payer's transfer is on its way: the next block has it."""
        del now
        self._paid.append(destination)

    def work(self, now: float, destination: "Chain | None") -> None:
        """The engine works on one side of a payment: with a destination, it is the source's."""
        engine = self._engines[self._world.pick(len(self._engines))]
        done = engine.serve(now, self._world.cost["engine_ms"] / 2_000)
        self._world.at(done, lambda at: self._store(at, destination))

    def _store(self, now: float, destination: "Chain | None") -> None:
        done = self._world.database.serve(now, self._world.cost["database_engine_ms"] / 2_000)
        self._world.at(done, lambda at: self._due.append((at, destination)))

    def mine(self, now: float) -> None:
        """A block takes what is due: as much as the accounts' transactions and its gas hold."""
        world, limit, cost = self._world, self._world.limit, self._world.cost
        world.at(now + limit["block_seconds"], self.mine)
        for paid in self._paid:
            self.work(now, paid)
        self._paid.clear()
        lanes = world.stations["accounts that send"]
        accounts = world.plan["accounts_a_chain"]
        room = accounts * limit["transactions_a_block"] * limit["calls_a_transaction"]
        sends, taken, gas = list[Chain](), 0, 0
        while self._due and taken < room and gas < limit["block_gas"]:
            due_at, destination = self._due.popleft()
            taken += 1
            gas += cost["delivery_gas"] if destination is None else cost["send_gas"]
            share = limit["block_seconds"] * accounts / room
            lanes.record(due_at, now, share)
            world.stations["gas of the chains"].record(
                due_at, now, limit["block_seconds"] * self._gas_of(destination) / limit["block_gas"]
            )
            if destination is not None:
                sends.append(destination)
        self._ask_node(now, taken)
        for start in range(0, len(sends), limit["calls_a_transaction"]):
            self._attest(now, sends[start : start + limit["calls_a_transaction"]])

    def _gas_of(self, destination: "Chain | None") -> int:
        cost = self._world.cost
        return int(cost["delivery_gas"] if destination is None else cost["send_gas"])

    def _ask_node(self, now: float, taken: int) -> None:
        world = self._world
        transactions = -(-taken // world.limit["calls_a_transaction"])
        calls = world.cost["node_calls_a_block"]
        calls += transactions * world.cost["node_calls_a_transaction"]
        for _ in range(calls):
            self._node.serve(now, 1 / world.plan["node_calls_a_second"])

    def _attest(self, now: float, destinations: "list[Chain]") -> None:
        """Circle is asked about a transaction; then its payments go on."""
        world, done = self._world, now
        for _ in range(world.cost["questions"]):
            done = world.bridge.serve(done, 1 / world.limit["questions_a_second"])
        for destination in destinations:
            world.at(done, lambda at, to=destination: to.work(at, None))


def load() -> dict[str, Any]:
    """Costs, limits and plans."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def simulate(name: str) -> dict[str, Result]:
    """How busy each station of a plan is, and how long payments wait there."""
    table = load()
    return World(table, table["plans"][name]).run()


def format_table(plans: dict[str, dict[str, Result]]) -> list[str]:
    """The table of `docs/scaling.md` from the results of each plan."""
    titles = " | ".join(f"{int(name):,} a second" for name in plans)
    rows = [f"| station | {titles} |", "|---" * (len(plans) + 1) + "|"]
    for station in next(iter(plans.values())):
        results = " | ".join(str(result[station]) for result in plans.values())
        rows.append(f"| {station} | {results} |")
    return rows


def run() -> list[Row]:
    """(name, figure, goal, met)."""
    return [
        (
            f"{int(plan):,} payments a second, {station}: busy, waiting p50 / p99",
            str(result),
            f"busy <= {GOAL_BUSY:.0%}",
            result.busy <= GOAL_BUSY,
        )
        for plan in load()["plans"]
        for station, result in simulate(plan).items()
    ]


if __name__ == "__main__":
    print(*format_table({name: simulate(name) for name in load()["plans"]}), sep="\n")
