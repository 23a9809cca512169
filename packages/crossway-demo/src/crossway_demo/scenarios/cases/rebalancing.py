"""Inventory that is rebalanced by policy while payments wait for it, and what can happen to it."""

from crossway.domain.intent import State
from crossway.domain.ledger import UNIFIED_TOKEN, Account, unified_location
from crossway.domain.rebalancing import (
    Location,
    RebalancingMode,
    RebalancingSettings,
    RebalancingState,
    RebalancingTransfer,
)
from crossway.usecases.money import rebalancing_policies
from crossway_demo.scenarios.bridge_actions import bridge_fault
from crossway_demo.scenarios.routes import OPERATED, OVER_GATEWAY, OVER_RHINOFI
from crossway_demo.scenarios.scenario import ExpectedOutcome, scenario
from crossway_demo.scenarios.scenario_world import ARBITRUM, BASE, ScenarioWorld

BSC = "BSC_MAINNET"
_USDC = 10**6
_UNIFIED = (unified_location(testnet=False), UNIFIED_TOKEN)


def _hold(world: ScenarioWorld, location: Location, *dollars: int) -> None:
    minimum, target, maximum = (amount * _USDC for amount in dollars)
    policy = (location, minimum, target, maximum)
    rebalancing_policies.set_policy(world.services, world.operator, *policy)


def _automatic(world: ScenarioWorld) -> None:
    settings = RebalancingSettings(
        mode=RebalancingMode.AUTOMATIC, smallest_micro_usd=_USDC, max_cost_bps=200
    )
    world.services.store.write(lambda unit: unit.rebalancing.save_settings(settings))
    world.narrate("A treasurer lets Crossway rebalance by itself")


def _transfers(world: ScenarioWorld) -> list[RebalancingTransfer]:
    with world.services.store.read() as unit:
        return unit.rebalancing.list_page(100)[::-1]


def _wait(world: ScenarioWorld, state: RebalancingState, within: float = 600) -> None:
    end = world.manual_clock.seconds + within
    while not any(transfer.state is state for transfer in _transfers(world)):
        world.require(world.manual_clock.seconds < end, f"a transfer is {state} in {within} s")
        world.pass_time(2, 1)


@scenario(
    62,
    "payout-waits-for-rebalancing",
    "A payout waits for inventory, Gateway mints it by policy, and the engine is killed meanwhile",
    ExpectedOutcome(State.COMPLETED),
    chains=(BSC, ARBITRUM),
    bridges=(*OPERATED, *OVER_GATEWAY),
)
def payout_waits_for_rebalancing(world: ScenarioWorld) -> None:
    empty = {"relayer": {"USDC": "0"}}
    world.fault(ARBITRUM, "the relayer has no USDC", balances=empty)
    _hold(world, (ARBITRUM, world.token(ARBITRUM, "USDC")), 0, 0, 10_000)
    _hold(world, _UNIFIED, 0, 0, 10_000_000)
    world.create_intent(BSC)
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    world.kill_at("signed:INVENTORY_SEND")
    _automatic(world)
    world.wait_for(State.COMPLETED)
    world.settle()
    (transfer,) = _transfers(world)
    world.require(transfer.is_urgent, "it was brought because a payout waited for it")
    world.require(transfer.state is RebalancingState.ARRIVED, "it has arrived, once")


@scenario(
    62,
    "rebalancing-given-back",
    "rhino.fi gives back what it was to move; the next transfer is late and arrives",
    ExpectedOutcome(State.COMPLETED, alerts=frozenset({"funding_refused"})),
    bridges=(*OPERATED, *OVER_RHINOFI),
)
def rebalancing_given_back(world: ScenarioWorld) -> None:
    low = {"relayer": {"USDC": str(400 * _USDC)}}
    world.fault(ARBITRUM, "the relayer has 400 USDC", balances=low)
    _hold(world, (ARBITRUM, world.token(ARBITRUM, "USDC")), 500, 2_000, 10_000)
    _hold(world, (BASE, world.token(BASE, "USDC")), 0, 0, 10_000_000)
    world.create_intent()
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    bridge_fault(world, "RHINOFI", "transfers are given back", returned=True)
    _automatic(world)
    _wait(world, RebalancingState.RETURNED)
    bridge_fault(world, "RHINOFI", "transfers are late", returned=False, lateSeconds=600)
    _wait(world, RebalancingState.ARRIVED, within=2_400)
    world.settle()
    world.pass_time(60, 5)
    with world.services.store.read() as unit:
        booked = unit.ledger.get_balances()
    on_its_way = booked.get((Account.IN_TRANSIT, BASE, world.token(BASE, "USDC")), 0)
    world.require(on_its_way == 0, "nothing is on its way any more")
