"""What is switched off, and who sees it when."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.errors import Forbidden
from crossway.domain.roles import Role
from crossway.ports.services import Services, SwitchMemory
from crossway.ports.store import Store, Unit
from crossway.usecases.network.switches import FRESH_SECONDS, switch, switched_off
from crossway.usecases.pricing import corridors, quotes
from crossway.usecases.pricing.cases import Asked
from tests.world import World

OFF = {"bridge:CCTP": "an incident"}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(f"sqlite:///{tmp_path / 'crossway.db'}", chains=("BASE_MAINNET",))


def switch_cctp(world: World, services: Services, off: bool = True) -> None:
    switch(services, world.operator, "bridge:CCTP", off, "an incident" if off else "")


def test_a_switch_made_in_this_process_is_seen_at_once(world: World) -> None:
    services = world.services
    assert switched_off(services) == {}
    switch_cctp(world, services)
    assert switched_off(services) == OFF
    switch_cctp(world, services, off=False)
    assert switched_off(services) == {}


def test_a_switch_made_in_another_process_is_seen_soon(world: World) -> None:
    services = world.services
    assert switched_off(services) == {}
    switch_cctp(world, replace(services, switches=SwitchMemory()))
    assert switched_off(services) == {}
    assert services.switches.known is not None
    epoch, at, off = services.switches.known
    services.switches.known = epoch, at - FRESH_SECONDS, off
    assert switched_off(services) == OFF


@dataclass
class Meanwhile:
    """A store while whose answer is on its way something else happens."""

    store: Store
    happens: Callable[[], None]

    @contextmanager
    def read(self) -> Iterator[Unit]:
        with self.store.read() as unit:
            yield unit
        self.happens()


def test_what_was_read_before_a_switch_is_not_kept(world: World) -> None:
    services = world.services
    slow: Any = Meanwhile(services.store, lambda: switch_cctp(world, services))
    assert switched_off(replace(services, store=slow)) == {}
    assert switched_off(services) == OFF


def test_a_route_that_is_off_is_not_quoted_and_who_did_it_is_known(tmp_path: Path) -> None:
    chains = ("BASE_MAINNET", "SOLANA_MAINNET")
    world = World(f"sqlite:///{tmp_path / 'crossway.db'}", chains=chains)
    services = world.services
    usdc = [services.catalogue.tokens[chain, "USDC"].address for chain in chains]

    def offering() -> set[str | None]:
        found = quotes.multiple(services, world.caller, Asked(*usdc, *chains, "25000000"))
        return {one.bridge for one in found}

    assert "CCTP" in offering()
    subject = "route:CCTP:BASE_MAINNET:SOLANA_MAINNET"
    for stranger in (world.caller, replace(world.operator, role=Role.VIEWER)):
        with pytest.raises(Forbidden):
            switch(services, stranger, subject, True, "slow")
    assert "CCTP" in offering()
    switch(services, world.operator, subject, True, "slow")
    assert "CCTP" not in offering()
    (closed,) = corridors.closed(services, world.operator)
    assert (closed.reason, closed.by) == ("slow", world.operator.who)
    with world.store.read() as unit:
        (_, who, what, detail), *_ = unit.network.audited(1)
    assert (who, what, detail["subject"]) == (world.operator.who, "switched off", subject)
    switch(services, world.operator, subject, False, "")
    assert "CCTP" in offering()


def test_bridges_are_measured_as_they_are_asked(tmp_path: Path) -> None:
    world = World(f"sqlite:///{tmp_path / 'crossway.db'}", chains=("BASE_MAINNET", "BSC_MAINNET"))
    assert {
        state.health.answers for state in corridors.bridges(world.services, world.operator)
    } == {0}
    asked = corridors.probe(world.services, world.operator)
    states = {one.name: one for one in corridors.bridges(world.services, world.operator)}
    answered = [one for one in states.values() if one.health.answers]
    assert len(answered) == asked
    for one in answered:
        assert one.health.p50_seconds is not None
        assert one.health.p95_seconds is not None
        assert 0 < one.health.p50_seconds <= one.health.p95_seconds < 5
    world.services.bridge_health.asked("CCTP", 3.0, "it is down")
    cctp = {one.name: one for one in corridors.bridges(world.services, world.operator)}["CCTP"]  # type: ignore[index]
    assert (cctp.health.errors, cctp.health.last_error) == (1, "it is down")
