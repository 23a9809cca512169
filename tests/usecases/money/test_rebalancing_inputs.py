"""What a rebalancing plan follows from, read from chains, bridges and the database."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.inventory_transfer import InventoryTransferState
from crossway.domain.rebalancing import LocationBalance, RebalancingPolicy, RebalancingSettings
from crossway.domain.rebalancing_needs import PlanInputs
from crossway.domain.rebalancing_planner import plan_rebalancing
from crossway.ports.network_costs import NetworkCostReport
from crossway.usecases.money.rebalancing_inputs import read_inputs
from crossway.usecases.simulator import chain_controls
from tests.engine.funding_world import ARBITRUM, BASE, DEPOSIT, MINT, TRANSFER
from tests.engine.rebalancing_world import UNIFIED, USDC, RebalancingWorld, planned, usdc

GAS = 10_000
"""What a transaction costs on these chains of the simulated network, in micro-USD."""


@pytest.fixture
def world(tmp_path: Path) -> RebalancingWorld:
    """Arbitrum lacks USDC, and Base has 600 to spare."""
    world = RebalancingWorld(tmp_path, "RHINOFI", "GATEWAY")
    world.set_inventory(ARBITRUM, 400 * USDC)
    world.set_inventory(BASE, 1_600 * USDC)
    for location, dollars in ((ARBITRUM, (500, 2_000)), (BASE, (500, 1_000))):
        set_policy(world, usdc(location), *dollars)
    set_policy(world, UNIFIED, 0, 0)
    return world


def set_policy(world: RebalancingWorld, location: tuple[str, str], *dollars: int) -> None:
    minimum, target = (amount * USDC for amount in dollars)
    now = world.services.clock.now()
    policy = RebalancingPolicy(*location, minimum, target, 10**30, 1, "ada", now)
    world.store.write(lambda unit: unit.rebalancing.set_policy(policy))


def find(inputs: PlanInputs, location: tuple[str, str]) -> LocationBalance:
    (found,) = (balance for balance in inputs.balances if balance.location == location)
    return found


def test_bridges_are_asked_about_what_can_be_moved(world: RebalancingWorld) -> None:
    inputs = read_inputs(world.services)
    (transfer,) = inputs.offers[usdc(BASE), usdc(ARBITRUM)]
    assert (transfer.bridge, transfer.kind) == ("RHINOFI", TRANSFER)
    # 600 USD to spare of the 1 600 that lack: 8 basis points of them, an approval and a deposit.
    assert transfer.largest_micro_usd == 600 * USDC
    assert transfer.fee_micro_usd == 480_000 + 2 * GAS
    (mint,) = inputs.offers[UNIFIED, usdc(ARBITRUM)]
    assert (mint.bridge, mint.kind) == ("GATEWAY", MINT)
    assert mint.largest_micro_usd == 1_600 * USDC


def test_of_an_excess_no_more_is_asked_about_than_there_is_room_for(
    world: RebalancingWorld,
) -> None:
    now = world.services.clock.now()
    for location, maximum in ((ARBITRUM, 450), (BASE, 1_000)):
        chain, token = usdc(location)
        policy = RebalancingPolicy(chain, token, 0, 100 * USDC, maximum * USDC, 1, "ada", now)
        world.store.write(lambda unit, policy=policy: unit.rebalancing.set_policy(policy))
    inputs = read_inputs(world.services)
    (transfer,) = inputs.offers[usdc(BASE), usdc(ARBITRUM)]
    assert transfer.largest_micro_usd == 50 * USDC
    (deposit,) = inputs.offers[usdc(BASE), UNIFIED]
    assert (deposit.kind, deposit.largest_micro_usd) == (DEPOSIT, 1_500 * USDC)
    assert deposit.fee_micro_usd == 2 * GAS


def test_a_mint_leaves_the_unified_balance_once(world: RebalancingWorld) -> None:
    """Gateway subtracts it as soon as it has agreed: counted again, the unified balance would seem
    to lack what was minted, and be filled for nothing."""
    before = find(read_inputs(world.services), UNIFIED)
    transfer = world.start(planned(MINT, 1_000 * USDC, most=1_005 * USDC))
    reserved = find(read_inputs(world.services), UNIFIED)
    assert (reserved.balance, reserved.leaving) == (before.balance, 1_005 * USDC)
    while world.carried_by(transfer).state is InventoryTransferState.PLANNED:
        world.pass_time(1)
    assert not world.carried_by(transfer).source_tx
    agreed = find(read_inputs(world.services), UNIFIED)
    assert before.balance is not None
    assert agreed.leaving == 0
    assert agreed.balance == before.balance - world.carried_by(transfer).source_amount
    assert find(read_inputs(world.services), usdc(ARBITRUM)).arriving == 1_000 * USDC
    world.wait_ended(transfer)
    ended = find(read_inputs(world.services), usdc(ARBITRUM))
    assert (ended.balance, ended.arriving) == (1_400 * USDC, 0)


def test_what_may_have_left_is_neither_given_again_nor_missed(world: RebalancingWorld) -> None:
    """Its transaction is in a block before it is confirmed."""
    transfer = world.start(planned(TRANSFER, 100 * USDC, most=101 * USDC))
    available, virtual = set(), set()
    while world.carried_by(transfer).state is not InventoryTransferState.DELIVERED:
        base = find(read_inputs(world.services), usdc(BASE))
        available.add(base.available)
        virtual.add(base.virtual)
        world.pass_time(1)
    # What it takes at most at first, and what rhino.fi asked for then.
    left = 1_600 * USDC - 100_080_000
    assert max(available) == left
    assert min(virtual) == 1_499 * USDC
    assert available | virtual == {1_499 * USDC, left, left - 100_080_000, 1_600 * USDC}


class UnknownCosts:
    """Chains that do not say what calls cost."""

    def get_costs(self, chains: Collection[str]) -> NetworkCostReport:
        return NetworkCostReport({}, dict.fromkeys(chains, "its fees could not be read"))


def test_it_is_said_why_no_offer_can_be_made(world: RebalancingWorld) -> None:
    blind = replace(world.services, network_costs=UnknownCosts())
    (lack,) = plan_rebalancing(read_inputs(blind)).unserved
    assert "The network costs on " in lack.reason
    assert lack.reason.endswith("are unknown: its fees could not be read.")


def test_a_silent_chain_with_a_policy_keeps_its_token_from_moving(
    world: RebalancingWorld,
) -> None:
    chain_controls.inject_faults(world.services, world.operator, BASE, {"outageSeconds": 60})
    inputs = read_inputs(world.services)
    assert find(inputs, usdc(BASE)).balance is None
    assert inputs.unreadable["USDC", False] == ["Base does not answer."]
    assert inputs.settings == RebalancingSettings()
    plan = plan_rebalancing(inputs)
    assert plan.transfers == ()
    assert [lack.reason for lack in plan.unserved] == ["Base does not answer."]
