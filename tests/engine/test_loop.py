"""The engine loop: chain leases, alerts, and that no block is missed."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.domain.intent import State
from crossway.engine.loop import Engine
from crossway.ports.chain import Scan
from crossway.ports.sandbox import Faults
from crossway.storage.service_tables import leases
from tests.harness import Harness

CHAINS = ("ARBITRUM_MAINNET", "BASE_MAINNET", "OPTIMISM_MAINNET", "POLYGON_MAINNET")
BASE = "BASE_MAINNET"


class FaultyChain(SimulatedChain):
    """A chain whose adapter fails while `broken` is set."""

    broken = False

    def scan(self, *args: Any) -> Scan:
        if self.broken:
            raise ZeroDivisionError("a defect")
        return super().scan(*args)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=CHAINS)
    yield built
    built.store.close()


def active_alerts(world: Harness) -> list[str]:
    with world.store.read() as unit:
        return sorted(alarm.key for alarm in unit.alerts.list_active())


def pass_time(world: Harness, engines: Collection[Engine], seconds: float) -> None:
    for _ in range(int(seconds)):
        world.machine.seconds += 1
        for engine in engines:
            engine.tick()


def leases_of(world: Harness, owner: str) -> set[str]:
    """The leases of an engine."""
    with world.store.reader.connect() as db:
        owned = select(leases.c.name).where(leases.c.owner == owner, leases.c.name.like("chain:%"))
        return set(db.execute(owned).scalars())


def new_engine(world: Harness, owner: str) -> Engine:
    """An engine that renews its leases by the clock of the test."""
    return Engine(world.services, owner, monotonic_seconds=world.machine)


def expire_leases(world: Harness) -> None:
    """Let the leases of every engine expire, as if it had been paused for long."""
    with world.store.writer.begin() as db:
        db.execute(update(leases).where(leases.c.until > 0).values(until=1))


def test_engines_share_chains_and_take_over_released_leases(world: Harness) -> None:
    first, second = new_engine(world, "first"), new_engine(world, "second")
    first.tick()
    pass_time(world, [first, second], 12)
    assert len(leases_of(world, "first")) == len(leases_of(world, "second")) == 2
    first.stop()
    pass_time(world, [second], 6)
    assert leases_of(world, "second") == {f"chain:{chain}" for chain in CHAINS}


def test_leases_of_a_crashed_engine_are_taken_over_when_they_expire(world: Harness) -> None:
    dead, living = new_engine(world, "dead"), new_engine(world, "living")
    dead.tick()
    pass_time(world, [living], 14)
    assert leases_of(world, "living") == set()
    expire_leases(world)
    pass_time(world, [living], 8)
    assert len(leases_of(world, "living")) == 4


def test_a_sole_engine_takes_over_at_once(world: Harness) -> None:
    Engine(world.services, "dead").tick()
    Engine(world.services, "new", sole=True).tick()
    assert len(leases_of(world, "new")) == 4


def test_an_unreachable_chain_raises_an_alert_that_the_next_engine_resolves(world: Harness) -> None:
    pass_time(world, [world.engine], 1)
    world.sandbox.inject_faults(BASE, Faults(outage_seconds=30))
    pass_time(world, [world.engine], 2)
    assert active_alerts(world) == [f"unreachable:{BASE}"]
    world.machine.seconds += 60
    Engine(world.services, "new", sole=True).tick()
    assert active_alerts(world) == []


def test_an_engine_leaves_alerts_of_other_engines_alone(world: Harness) -> None:
    first, second = new_engine(world, "first"), new_engine(world, "second")
    pass_time(world, [first, second], 12)
    world.sandbox.inject_faults(BASE, Faults(outage_seconds=600))
    pass_time(world, [first, second], 2)
    assert active_alerts(world) == [f"unreachable:{BASE}"]
    holder = first if f"chain:{BASE}" in leases_of(world, "first") else second
    holder.stop()
    pass_time(world, [second if holder is first else first], 30)
    assert active_alerts(world) == [f"unreachable:{BASE}"]


def with_faulty_chain(world: Harness) -> tuple[FaultyChain, Engine]:
    chain = FaultyChain(world.network, BASE)
    services = replace(world.services, chains={**world.services.chains, BASE: chain})
    return chain, Engine(services, "faulty", sole=True)


def test_a_failing_sweep_raises_an_alert_while_others_continue(world: Harness) -> None:
    chain, engine = with_faulty_chain(world)
    pass_time(world, [engine], 2)
    chain.broken = True
    elsewhere = world.create_intent("ARBITRUM_MAINNET", "POLYGON_MAINNET")
    world.deposit(elsewhere)
    pass_time(world, [engine], 30)
    assert active_alerts(world) == [f"sweep:scan:{BASE}"]
    assert world.reload(elsewhere).state is State.COMPLETED
    pass_time(world, [Engine(world.services, "new", sole=True)], 2)
    assert active_alerts(world) == []


def test_a_block_whose_scan_failed_is_scanned_again(world: Harness) -> None:
    chain, engine = with_faulty_chain(world)
    intent = world.create_intent()
    pass_time(world, [engine], 2)
    world.deposit(intent)
    pass_time(world, [engine], 1)
    chain.broken = True
    world.deposit(intent)
    for _ in range(3):
        engine.tick()
    chain.broken = False
    for _ in range(3):
        engine.tick()
    with world.store.read() as unit:
        assert len(unit.deposits.list_by_intents([intent.id])) == 2


def test_alerts_that_depend_on_time_come_once_the_clock_is_advanced(world: Harness) -> None:
    world.engine.tick()
    world.sandbox.inject_faults(BASE, Faults(lie="stale"))
    world.sandbox.advance(400)
    world.engine.tick()
    assert active_alerts(world) == [f"stale:{BASE}"]


def test_alerts_are_about_chains_that_are_not_due_too(world: Harness) -> None:
    """Where nothing happens, a chain is looked at less often than alerts are checked."""
    sole = Engine(world.services, "sole", sole=True)
    sole.tick()
    world.sandbox.inject_faults(BASE, Faults(lie="stale"))
    sole.tick()
    world.sandbox.advance(400)
    world.machine.seconds += 6
    sole._run_pass(only_due=True)
    assert active_alerts(world) == [f"stale:{BASE}"]
