"""Kill switches: who may set them, and when other processes see them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.errors import Forbidden
from crossway.domain.roles import Role
from crossway.ports.process import KillSwitchCache
from crossway.ports.services import Services
from crossway.ports.store import Store, UnitOfWork
from crossway.usecases.chains.kill_switches import (
    FRESH_SECONDS,
    active_kill_switches,
    set_kill_switch,
)
from crossway.usecases.pricing import corridor_quotes, quotes
from crossway.usecases.pricing.priced_request import QuoteRequest
from tests.harness import Harness

OFF = {"bridge:CCTP": "an incident"}


@pytest.fixture
def world(tmp_path: Path) -> Harness:
    return Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=("BASE_MAINNET",))


def switch_cctp(world: Harness, services: Services, off: bool = True) -> None:
    set_kill_switch(services, world.operator, "bridge:CCTP", off, "an incident" if off else "")


def test_a_kill_switch_set_in_this_process_applies_at_once(world: Harness) -> None:
    services = world.services
    assert active_kill_switches(services) == {}
    switch_cctp(world, services)
    assert active_kill_switches(services) == OFF
    switch_cctp(world, services, off=False)
    assert active_kill_switches(services) == {}


def test_a_kill_switch_set_in_another_process_applies_soon(world: Harness) -> None:
    services = world.services
    assert active_kill_switches(services) == {}
    switch_cctp(
        world, replace(services, process=replace(services.process, kill_switches=KillSwitchCache()))
    )
    assert active_kill_switches(services) == {}
    assert services.process.kill_switches.last_read is not None
    epoch, at, off = services.process.kill_switches.last_read
    services.process.kill_switches.last_read = epoch, at - FRESH_SECONDS, off
    assert active_kill_switches(services) == OFF


@dataclass
class StoreWithConcurrentChange:
    """A store in which a change happens while a read is running."""

    store: Store
    happens: Callable[[], None]

    @contextmanager
    def read(self) -> Iterator[UnitOfWork]:
        with self.store.read() as unit:
            yield unit
        self.happens()


def test_a_read_started_before_a_change_is_not_cached(world: Harness) -> None:
    services = world.services
    slow: Any = StoreWithConcurrentChange(services.store, lambda: switch_cctp(world, services))
    assert active_kill_switches(replace(services, store=slow)) == {}
    assert active_kill_switches(services) == OFF


def test_a_disabled_route_is_not_quoted_and_the_change_is_audited(tmp_path: Path) -> None:
    chains = ("BASE_MAINNET", "POLYGON_MAINNET")
    world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=chains)
    services = world.services
    usdc = [services.catalogue.tokens[chain, "USDC"].address for chain in chains]

    def list_offering_bridges() -> set[str | None]:
        found = quotes.list_quotes(services, world.caller, QuoteRequest(*usdc, *chains, "25000000"))
        return {item.bridge for item in found}

    assert "CCTP" in list_offering_bridges()
    subject = "route:CCTP:BASE_MAINNET:POLYGON_MAINNET"
    for stranger in (world.caller, replace(world.operator, role=Role.VIEWER)):
        with pytest.raises(Forbidden):
            set_kill_switch(services, stranger, subject, True, "slow")
    assert "CCTP" in list_offering_bridges()
    set_kill_switch(services, world.operator, subject, True, "slow")
    assert "CCTP" not in list_offering_bridges()
    (closed,) = corridor_quotes.list_kill_switches(services, world.operator)
    assert (closed.reason, closed.by) == ("slow", world.operator.actor_name)
    with world.store.read() as unit:
        (_, actor, action, detail), *_ = unit.audit_log.list_recent(1)
    assert (actor, action, detail["subject"]) == (world.operator.actor_name, "disabled", subject)
    set_kill_switch(services, world.operator, subject, False, "")
    assert "CCTP" in list_offering_bridges()


def test_bridge_health_is_measured_by_quote_calls(tmp_path: Path) -> None:
    world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=("BASE_MAINNET", "BSC_MAINNET"))
    assert {
        state.health.answers
        for state in corridor_quotes.list_bridge_statuses(world.services, world.operator)
    } == {0}
    probes = corridor_quotes.probe_bridges(world.services, world.operator)
    states = {
        bridge.name: bridge
        for bridge in corridor_quotes.list_bridge_statuses(world.services, world.operator)
    }
    answered = [state for state in states.values() if state.health.answers]
    assert len(answered) == probes
    for item in answered:
        assert item.health.p50_seconds is not None
        assert item.health.p95_seconds is not None
        assert 0 < item.health.p50_seconds <= item.health.p95_seconds < 5
    world.services.process.bridge_health.record("CCTP", 3.0, "it is down")
    cctp = {
        bridge.name: bridge
        for bridge in corridor_quotes.list_bridge_statuses(world.services, world.operator)
    }["CCTP"]  # type: ignore[index]
    assert (cctp.health.errors, cctp.health.last_error) == (1, "it is down")
