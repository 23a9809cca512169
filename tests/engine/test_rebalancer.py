"""The sweep that rebalances: automatic transfers, proposals, several engines, and faults."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from crossway.domain.intent import State
from crossway.domain.rebalancing import (
    RebalancingMode,
    RebalancingPolicy,
    RebalancingSettings,
    RebalancingState,
    RebalancingTransfer,
)
from crossway.engine import rebalancer
from crossway.engine.loop import Engine
from tests.engine.killed_world import KilledWorld
from tests.engine.rebalancing_world import (
    ARBITRUM,
    BASE,
    UNIFIED,
    USDC,
    RebalancingWorld,
    usdc,
)

S = RebalancingState
AUTOMATIC = RebalancingSettings(
    mode=RebalancingMode.AUTOMATIC,
    smallest_micro_usd=10 * USDC,
    max_cost_bps=20,
    cool_down_seconds=60,
)


class SweptWorld(RebalancingWorld, KilledWorld):
    """A world whose engine rebalances by policy; it may be killed at a step."""

    def __init__(self, folder: Path, *bridges: str, step: str = "", number: int = 0) -> None:
        super().__init__(folder, *bridges, step=step, number=number)

    def set_policy(self, location: tuple[str, str], *dollars: int) -> None:
        minimum, target, maximum = (amount * USDC for amount in dollars)
        now = self.services.clock.now()
        policy = RebalancingPolicy(*location, minimum, target, maximum, 1, "ada", now)
        self.store.write(lambda unit: unit.rebalancing.set_policy(policy))

    def configure(self, settings: RebalancingSettings = AUTOMATIC) -> None:
        self.store.write(lambda unit: unit.rebalancing.save_settings(settings))

    def transfers(self) -> list[RebalancingTransfer]:
        """All, oldest first."""
        with self.store.read() as unit:
            return unit.rebalancing.list_page(100)[::-1]

    def short_of_usdc(self) -> None:
        """Arbitrum lacks USDC, of which Base has a million; nobody else may give or get."""
        self.set_inventory(ARBITRUM, 400 * USDC)
        for chain in self.services.chains:
            if chain not in (ARBITRUM, BASE):
                self.set_inventory(chain, 0)
        self.set_policy(usdc(ARBITRUM), 500, 2_000, 10**6)
        self.set_policy(usdc(BASE), 1_000, 1_000, 10**9)


def test_a_lack_is_filled_to_its_target_and_then_nothing_moves(tmp_path: Path) -> None:
    world = SweptWorld(tmp_path, "RHINOFI")
    world.short_of_usdc()
    world.configure()
    world.pass_time(60)
    world.wait_ended(world.transfers()[0])
    (transfer,) = world.transfers()
    assert (transfer.source, transfer.destination) == (usdc(BASE), usdc(ARBITRUM))
    assert (transfer.state, transfer.proposed_by) == (S.ARRIVED, "")
    assert transfer.reason == "Arbitrum One has 400 USDC, less than its minimum of 500 USDC."
    assert world.inventory(ARBITRUM) == 2_000 * USDC
    world.pass_time(900, 60)
    assert len(world.transfers()) == 1
    assert world.alerts("engine") == []
    world.check_books()


@pytest.mark.parametrize("mode", [RebalancingMode.SUGGEST, RebalancingMode.PAUSED])
def test_by_default_and_while_paused_nothing_moves(tmp_path: Path, mode: RebalancingMode) -> None:
    world = SweptWorld(tmp_path, "RHINOFI")
    world.short_of_usdc()
    if mode is not RebalancingSettings().mode:
        world.configure(replace(AUTOMATIC, mode=mode))
    world.pass_time(120, 20)
    assert world.transfers() == []


def test_a_payout_that_waits_is_paid_once_gateway_has_minted(tmp_path: Path) -> None:
    """A payment out of inventory, which no bridge funds by itself."""
    world = SweptWorld(tmp_path, "INVENTORY", "GATEWAY")
    world.set_inventory(ARBITRUM, 0)
    world.set_policy(usdc(ARBITRUM), 0, 0, 10**6)
    world.set_policy(UNIFIED, 0, 0, 10**9)
    # Gateway does not serve the source.
    intent = world.pay(source="BSC_MAINNET")
    assert intent.terms.bridge == "INVENTORY"
    world.pass_time(30)
    assert world.reload(intent).state is State.FUNDED
    world.configure()
    world.wait_for_state(intent, State.COMPLETED)
    (transfer,) = world.transfers()
    assert transfer.is_urgent
    assert transfer.source == UNIFIED
    assert transfer.reason.startswith("Payouts on Arbitrum One wait for ")
    world.check_books()


def test_above_the_limit_a_transfer_waits_for_a_person_and_lapses(tmp_path: Path) -> None:
    world = SweptWorld(tmp_path, "RHINOFI")
    world.short_of_usdc()
    world.configure(replace(AUTOMATIC, approve_above_micro_usd=1_000 * USDC))
    world.pass_time(120, 5)
    (transfer,) = world.transfers()
    assert transfer.state is S.PROPOSED
    (alert,) = world.alerts("approval")
    assert alert.subject == f"rebalancing:{transfer.id}"
    assert world.inventory(ARBITRUM) == 400 * USDC
    world.pass_time(timedelta(hours=24).total_seconds(), 7_200)
    assert world.transfers()[0].state is S.LAPSED
    # It is planned anew.
    assert world.transfers()[-1].state is S.PROPOSED


def test_while_a_bridge_or_a_chain_is_silent_nothing_begins(tmp_path: Path) -> None:
    world = SweptWorld(tmp_path, "RHINOFI", "GATEWAY")
    world.short_of_usdc()
    world.set_policy(UNIFIED, 0, 0, 10**9)
    world.set_faults("GATEWAY", silent=True)
    world.configure()
    world.pass_time(120, 5)
    assert world.transfers() == []
    (alert,) = world.alerts("unserved")
    assert alert.subject == f"{ARBITRUM}:USDC"
    assert "does not answer" in alert.message
    world.set_faults("GATEWAY", silent=False)
    world.pass_time(120, 5)
    assert len(world.transfers()) == 1
    assert world.alerts("unserved") == []


def test_two_engines_make_one_plan(tmp_path: Path) -> None:
    world = SweptWorld(tmp_path, "RHINOFI")
    world.short_of_usdc()
    world.configure()
    other = Engine(world.services, "other")
    for _ in range(12):
        world.pass_time(5)
        other.tick()
        # Without any lease, as after one has been lost.
        rebalancer.run_pass(world.services)
    assert len(world.transfers()) == 1
    assert world.inventory(ARBITRUM) == 2_000 * USDC
    world.check_books()


def test_an_engine_that_slept_does_not_place_an_old_plan(tmp_path: Path) -> None:
    """Meanwhile the transfer of another engine came, arrived and is not open any more."""
    world = SweptWorld(tmp_path, "RHINOFI")
    world.short_of_usdc()
    world.configure()

    def sleep(step: str) -> None:
        if step == "rebalancing-planned":
            world.pass_time(1)
            (transfer,) = world.transfers()
            world.wait_ended(transfer)

    sleepy = replace(world.services.process, failpoint=sleep)
    rebalancer.run_pass(replace(world.services, process=sleepy))
    world.pass_time(180, 5)
    assert len(world.transfers()) == 1
    assert world.inventory(ARBITRUM) == 2_000 * USDC
    world.check_books()


@pytest.mark.parametrize("step", ["rebalancing-planned", "rebalancing-placed"])
def test_it_is_placed_once_when_the_engine_is_killed(tmp_path: Path, step: str) -> None:
    world = SweptWorld(tmp_path, "RHINOFI", step=step, number=1)
    world.short_of_usdc()
    world.configure()
    world.run(90)
    assert world.left == 0
    (transfer,) = world.transfers()
    assert transfer.state is S.ARRIVED
    assert world.inventory(ARBITRUM) == 2_000 * USDC
    world.check_books()
