"""Payment lifecycles per second of the engine, and one sweep with growing history."""

import time
from statistics import median

from benchmarks.worlds import SOURCE, alike, caller, payment, service, store_ended, store_pending
from crossway.adapters.chains.simulated.sandbox import SimulatedSandbox
from crossway.bootstrap import Service, warm_up
from crossway.domain.clients import OwnerFilter
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OPEN_STATES

PAYMENTS = 10_000
GOAL_LIFECYCLES = 1_000
STORED = (1_000, 100_000, 1_000_000)
GOAL_GROWTH = 1.3
ACTIVE = 200
ROUNDS = 15


def run(stored: tuple[int, ...] = STORED) -> list[tuple[str, str, str, bool]]:
    """(name, figure, goal, met)."""
    return [_lifecycles(), _sweeps(stored)]


def _lifecycles() -> tuple[str, str, str, bool]:
    """Deposits seen, sent over CCTP, attested to and delivered; creating is not counted."""
    with service() as built:
        who = caller(built)
        model = payment(built, who)
        _tick(built)
        created = store_pending(built, alike(built, model, 1, PAYMENTS))
        warm_up()
        began = time.perf_counter()
        _pay(built, created)
        while not _done(built):
            _tick(built)
        rate = PAYMENTS / (time.perf_counter() - began)
    name = f"lifecycles a second, {PAYMENTS} payments at once, SQLite"
    return name, f"{rate:.0f}", f">= {GOAL_LIFECYCLES}", rate >= GOAL_LIFECYCLES


def _sweeps(stored: tuple[int, ...]) -> tuple[str, str, str, bool]:
    """One engine pass that credits and starts the same number of payments, over more history."""
    figures = []
    with service() as built:
        who = caller(built)
        model = payment(built, who)
        _tick(built)
        kept, nonce = 0, 10_000_000
        for wanted in stored:
            store_ended(built, model, 1 + kept, wanted - kept)
            kept = wanted
            warm_up()
            taken = []
            for _ in range(ROUNDS):
                created = store_pending(built, alike(built, model, nonce, ACTIVE))
                nonce += ACTIVE
                _pay(built, created)
                began = time.perf_counter()
                for _ in range(8):
                    _tick(built)
                taken.append(time.perf_counter() - began)
            figures.append(median(taken) / 8 * 1000)
    growth = max(figures) / figures[0]
    shown = " / ".join(f"{ms:.1f}" for ms in figures)
    sizes = " / ".join(f"{n:,}".replace(",", " ") for n in stored)
    name = f"ms an engine pass, {ACTIVE} payments under way, {sizes} stored"
    return name, f"{shown} (x {growth:.2f})", f"<= x {GOAL_GROWTH}", growth <= GOAL_GROWTH


def _pay(built: Service, made: list[Intent]) -> None:
    sandbox = built.services.sandbox
    assert isinstance(sandbox, SimulatedSandbox)
    for start in range(0, len(made), 5_000):
        part = made[start : start + 5_000]
        sandbox.deposit_each(
            SOURCE,
            [(item.address, item.terms.token_in, item.terms.deposit_amount) for item in part],
        )


def _tick(built: Service) -> None:
    """Advance the clock by one second and run one engine pass."""
    assert built.services.sandbox is not None
    built.services.sandbox.advance(1)
    built.engine.tick()


def _done(built: Service) -> bool:
    with built.store.read() as unit:
        if unit.intents.count_by_state(OwnerFilter()).get(State.COMPLETED, 0) < PAYMENTS:
            return False
        chains = built.services.chains.keys()
        return not any(unit.outbound_txs.list_in_state(chains, state, 1) for state in OPEN_STATES)
