"""What is switched off, and who sees it when."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from crossway.ports.services import Services, SwitchMemory
from crossway.ports.store import Store, Unit
from crossway.usecases.switches import FRESH_SECONDS, switch, switched_off
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
