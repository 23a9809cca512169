"""What the engine costs for each payment: processor time and bytes, without simulated chains."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from itertools import count
from pathlib import Path
from typing import Any, TypeVar, cast

from benchmarks.histories import add_history
from benchmarks.worlds import SOURCE, alike, caller, payment, service, store_pending
from crossway.adapters.chains.simulated.sandbox import SimulatedSandbox
from crossway.bootstrap import Service, warm_up
from crossway.domain.clients import OwnerFilter
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OPEN_STATES
from crossway.engine.loop import Engine
from crossway.ports.services import Services

# Payments that arrive between two passes, how many in all, and the goal in milliseconds of each.
ARRIVING = {8: (800, 1.5), 50: (3_000, 0.67), 300: (9_000, 0.40)}
GOAL_BYTES, GOAL_BYTES_AT = 40_000, 50
T = TypeVar("T")
NONCES = count(20_000_000)


@dataclass
class Spent:
    """Processor seconds and bytes written."""

    seconds: float = 0.0
    written: int = 0


class Measured:
    """A simulated chain or bridge whose calls are counted, so that they can be subtracted."""

    def __init__(self, simulated: object, spent: Spent) -> None:
        self._simulated, self._spent = simulated, spent

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._simulated, name)
        if not callable(value):
            return value
        measured = self._measure(value)
        setattr(self, name, measured)
        return measured

    def _measure(self, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def run(*args: Any, **kwargs: Any) -> Any:
            began, before = time.thread_time(), written_bytes()
            try:
                return call(*args, **kwargs)
            finally:
                self._spent.written += written_bytes() - before
                self._spent.seconds += time.thread_time() - began

        return run


def written_bytes() -> int:
    """What this process has written to files so far."""
    for line in Path("/proc/self/io").read_text().splitlines():
        if line.startswith("wchar"):
            return int(line.split()[1])
    return 0


def run(arriving: Mapping[int, tuple[int, float]] = ARRIVING) -> list[tuple[str, str, str, bool]]:
    """(name, figure, goal, met)."""
    found = []
    for size, (total, goal) in arriving.items():
        spent = measure(size, total)
        ms = spent.seconds / total * 1000
        name = f"engine, ms of processor a payment, {size} between two passes"
        found.append((name, f"{ms:.2f}", f"<= {goal}", ms <= goal))
        if size == GOAL_BYTES_AT:
            kb = spent.written / total
            name = f"engine, bytes written a payment, {size} between two passes"
            found.append((name, f"{kb:.0f}", f"<= {GOAL_BYTES}", kb <= GOAL_BYTES))
    return found


def measure(
    size: int,
    total: int,
    warmed: Callable[[Service], None] = lambda _: None,
    database_url: str | None = None,
    stored: int = 0,
) -> Spent:
    """What `total` payments cost the engine of which `size` arrive between two passes, in a SQLite
    file or a database with a history of so many `stored`; `warmed` is called when the measured
    part begins."""
    with service(database_url) as built:
        if stored:
            add_history(built, stored)
        of_chains = Spent()
        simulated = measure_simulated(built.services, of_chains)
        engine = Engine(simulated, "benchmark", sole=True)
        model = payment(built, caller(built))
        # The first payments of a process compile statements: they are not measured.
        _run(built, engine, model, size, size)
        warm_up()
        of_chains.seconds = of_chains.written = 0
        warmed(built)
        whole = _run(built, engine, model, size, total)
        return Spent(whole.seconds - of_chains.seconds, whole.written - of_chains.written)


def _run(built: Service, engine: Engine, model: Intent, size: int, total: int) -> Spent:
    """Pay `total` payments, `size` between two passes, until nothing is left to do."""
    spent, before = Spent(), count_completed(built)
    created = create(built, model, total)
    for start in range(0, total, size):
        pay(built, created[start : start + size])
        _pass(built, engine, spent)
    while not is_done(built, before + total):
        _pass(built, engine, spent)
    return spent


def measure_simulated(services: Services, of_chains: Spent) -> Services:
    """The services with simulated chains and bridges whose calls are counted."""
    return replace(
        services,
        chains=_measured(services.chains, of_chains),
        bridge_clients=_measured(services.bridge_clients, of_chains),
        bridge_ends=_measured(services.bridge_ends, of_chains),
        inventory_bridges=_measured(services.inventory_bridges, of_chains),
    )


def _measured(simulated: Mapping[str, T], spent: Spent) -> dict[str, T]:
    return {name: cast(T, Measured(one, spent)) for name, one in simulated.items()}


def create(built: Service, model: Intent, count: int) -> list[Intent]:
    """Stored payments like one, not paid."""
    new = [one for _ in range(count) for one in alike(built, model, next(NONCES), 1)]
    return store_pending(built, new)


def _pass(built: Service, engine: Engine, spent: Spent) -> None:
    """Advance the clock by one second and run one engine pass."""
    assert built.services.sandbox is not None
    built.services.sandbox.advance(1)
    began, before = time.process_time(), written_bytes()
    engine.tick()
    spent.seconds += time.process_time() - began
    spent.written += written_bytes() - before


def pay(built: Service, made: list[Intent]) -> None:
    """Send the deposits of payments."""
    sandbox = built.services.sandbox
    assert isinstance(sandbox, SimulatedSandbox)
    sandbox.deposit_each(
        SOURCE, [(item.address, item.terms.token_in, item.terms.deposit_amount) for item in made]
    )


def count_completed(built: Service) -> int:
    """How many payments are completed."""
    with built.store.read() as unit:
        return unit.intents.count_by_state(OwnerFilter()).get(State.COMPLETED, 0)


def is_done(built: Service, total: int) -> bool:
    """Whether so many are completed, and nothing is left to do."""
    if count_completed(built) < total:
        return False
    with built.store.read() as unit:
        chains = built.services.chains.keys()
        return not any(unit.outbound_txs.list_in_state(chains, state, 1) for state in OPEN_STATES)
