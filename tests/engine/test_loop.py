"""The loop: who works which chain, what it tells people, and that it misses no block."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.domain.intent import State
from crossway.engine.loop import Engine
from crossway.ports.chain import Scan
from crossway.ports.sandbox import Faults
from tests.world import World

CHAINS = ("ARBITRUM_MAINNET", "BASE_MAINNET", "OPTIMISM_MAINNET", "POLYGON_MAINNET")
BASE = "BASE_MAINNET"


class Faulty(SimulatedChain):
    """A chain whose adapter has a defect that comes and goes."""

    broken = False

    def scan(self, *args: Any) -> Scan:
        if self.broken:
            raise ZeroDivisionError("a defect")
        return super().scan(*args)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(f"sqlite:///{tmp_path / 'crossway.db'}", chains=CHAINS)
    yield made
    made.store.close()


def alarms(world: World) -> list[str]:
    with world.store.read() as unit:
        return sorted(alarm.key for alarm in unit.network.alarms())


def pass_time(world: World, engines: Collection[Engine], seconds: float) -> None:
    for _ in range(int(seconds)):
        world.hand.seconds += 1
        for engine in engines:
            engine.tick()


def held(world: World, owner: str) -> set[str]:
    """What an engine holds, seen by another that asks for nothing."""
    names = [f"chain:{chain}" for chain in CHAINS]
    now = world.services.clock.machine()
    return world.store.write(lambda unit: unit.network.lease(names, owner, now, now, len(names)))


def test_engines_share_the_chains_and_what_one_gives_back_the_other_takes(world: World) -> None:
    first, second = Engine(world.services, "first"), Engine(world.services, "second")
    first.tick()
    pass_time(world, [first, second], 12)
    assert len(held(world, "first")) == len(held(world, "second")) == 2
    first.stop()
    pass_time(world, [second], 6)
    assert held(world, "second") == {f"chain:{chain}" for chain in CHAINS}


def test_what_a_dead_engine_held_is_taken_over_when_its_leases_end(world: World) -> None:
    dead, living = Engine(world.services, "dead"), Engine(world.services, "living")
    dead.tick()
    pass_time(world, [living], 14)
    assert held(world, "living") == set()
    pass_time(world, [living], 8)
    assert len(held(world, "living")) == 4


def test_an_engine_that_runs_alone_takes_over_at_once(world: World) -> None:
    Engine(world.services, "dead").tick()
    Engine(world.services, "new", sole=True).tick()
    assert len(held(world, "new")) == 4


def test_a_silent_chain_is_told_and_whoever_works_it_next_ends_the_alarm(world: World) -> None:
    pass_time(world, [world.engine], 1)
    world.sandbox.misbehave(BASE, Faults(outage_seconds=30))
    pass_time(world, [world.engine], 2)
    assert alarms(world) == [f"unreachable:{BASE}"]
    world.hand.seconds += 60
    Engine(world.services, "new", sole=True).tick()
    assert alarms(world) == []


def test_an_engine_leaves_the_alarms_of_other_engines_chains_alone(world: World) -> None:
    first, second = Engine(world.services, "first"), Engine(world.services, "second")
    pass_time(world, [first, second], 12)
    world.sandbox.misbehave(BASE, Faults(outage_seconds=600))
    pass_time(world, [first, second], 2)
    assert alarms(world) == [f"unreachable:{BASE}"]
    holder = first if f"chain:{BASE}" in held(world, "first") else second
    holder.stop()
    pass_time(world, [second if holder is first else first], 30)
    assert alarms(world) == [f"unreachable:{BASE}"]


def faulty(world: World) -> tuple[Faulty, Engine]:
    chain = Faulty(world.network, BASE)
    services = replace(world.services, chains={**world.services.chains, BASE: chain})
    return chain, Engine(services, "faulty", sole=True)


def test_a_sweep_that_breaks_is_told_the_others_go_on_and_its_end_is_told(world: World) -> None:
    chain, engine = faulty(world)
    pass_time(world, [engine], 2)
    chain.broken = True
    elsewhere = world.pay("ARBITRUM_MAINNET", "POLYGON_MAINNET")
    world.deposit(elsewhere)
    pass_time(world, [engine], 30)
    assert alarms(world) == [f"sweep:scan:{BASE}"]
    assert world.now(elsewhere).state is State.COMPLETED
    pass_time(world, [Engine(world.services, "new", sole=True)], 2)
    assert alarms(world) == []


def test_a_block_whose_scan_failed_is_scanned_though_no_other_follows(world: World) -> None:
    chain, engine = faulty(world)
    made = world.pay()
    pass_time(world, [engine], 2)
    world.deposit(made)
    pass_time(world, [engine], 1)
    chain.broken = True
    world.deposit(made)
    for _ in range(3):
        engine.tick()
    chain.broken = False
    for _ in range(3):
        engine.tick()
    with world.store.read() as unit:
        assert len(unit.deposits.of([made.id])) == 2
