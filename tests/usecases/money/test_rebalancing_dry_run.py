"""A dry run over payments that were made on the simulated network."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from crossway.domain.errors import Forbidden, InvalidInput
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import NO_INTENT, Account, Posting
from crossway.domain.quotes import BridgeName
from crossway.domain.rebalancing import NO_MAXIMUM, RebalancingPolicy, RebalancingSettings
from crossway.usecases.money.rebalancing_dry_run import DryRun, dry_run
from tests.engine.funding_world import ARBITRUM, BASE, MINT, TRANSFER
from tests.engine.rebalancing_world import USDC, RebalancingWorld, planned, usdc

pytestmark = pytest.mark.slow

SETTINGS = RebalancingSettings(smallest_micro_usd=10 * USDC, cool_down_seconds=60)
GAS = 10_000


@pytest.fixture
def world(tmp_path: Path) -> RebalancingWorld:
    """Arbitrum has 1 000 USDC, and Base a million."""
    world = RebalancingWorld(tmp_path, "RHINOFI", "INVENTORY")
    world.set_inventory(ARBITRUM, 1_000 * USDC)
    return world


def policy(world: RebalancingWorld, chain: str, minimum: int, target: int) -> RebalancingPolicy:
    amounts = (minimum * USDC, target * USDC, NO_MAXIMUM)
    return RebalancingPolicy(*usdc(chain), *amounts, 1, "ada", world.services.clock.now())


def run(
    world: RebalancingWorld, days: int = 30, settings: RebalancingSettings = SETTINGS
) -> DryRun:
    policies = [policy(world, ARBITRUM, 800, 2_000), policy(world, BASE, 0, 1_000)]
    return dry_run(world.services, world.operator, policies, settings, days)


def pay_out_of_inventory(
    world: RebalancingWorld, dollars: int, bridge: BridgeName = BridgeName.INVENTORY
) -> Intent:
    """A payment from Ethereum to Arbitrum that the relayer pays itself."""
    own = world.services
    offered = [one for one in own.bridges if one.name is bridge]
    world.services = replace(own, bridges=offered)
    intent = world.create_intent("ETHEREUM_MAINNET", ARBITRUM, amount=str(dollars * USDC))
    world.services = own
    world.deposit(intent)
    return intent


def top_up(world: RebalancingWorld, units: int) -> None:
    """The operator adds inventory on Arbitrum, and books it."""
    now = world.services.clock.now()
    booked = Posting(NO_INTENT, *usdc(ARBITRUM), Account.INVENTORY, Account.EQUITY, units, "top-up")
    world.set_inventory(ARBITRUM, world.inventory(ARBITRUM) + units)
    world.store.write(lambda unit: unit.ledger.post([booked], now))


def test_a_payment_that_waited_for_inventory_would_not_have(world: RebalancingWorld) -> None:
    first = pay_out_of_inventory(world, 700)
    world.wait_for_state(first, State.COMPLETED)
    world.pass_time(600, 10)
    second = pay_out_of_inventory(world, 400)
    world.pass_time(240)
    assert world.reload(second).state is State.FUNDED
    top_up(world, 500 * USDC)
    world.wait_for_state(second, State.COMPLETED)
    told = run(world)
    assert told.payments == 2
    (waited,) = told.waiting
    assert (waited.intent_id, waited.units) == (second.id, 400 * USDC)
    assert (waited.started, waited.would_start) == (True, True)
    assert timedelta(minutes=3) < waited.waited < timedelta(minutes=6)
    assert told.not_waiting == [waited]
    assert told.delayed == []
    assert told.unknown == []
    # After the first payment 300 USDC are left, and 1 700 lack to the target; after the second,
    # and with what was added, 2 100 are there.
    (filled,) = told.transfers
    assert filled.planned.bridge == "RHINOFI"
    assert filled.planned.amount == 1_700 * USDC
    assert told.moved_micro_usd == 1_700 * USDC
    # 8 basis points of it, and two transactions.
    assert told.cost_micro_usd == 1_360_000 + 2 * GAS
    assert round(told.cost_bps, 2) == 8.12
    assert filled.at < waited_since(world, second)
    # Nothing was stored, and nothing moved.
    with world.store.read() as unit:
        assert unit.rebalancing.list_page(10) == []


def waited_since(world: RebalancingWorld, intent: Intent) -> datetime:
    with world.store.read() as unit:
        records = unit.intents.list_transitions([intent.id])
    return next(record.at for record in records if record.to_state is State.FUNDED)


def test_a_payment_that_never_started_would_have_been_paid(world: RebalancingWorld) -> None:
    lost = pay_out_of_inventory(world, 1_500)
    world.pass_time(60)
    while world.reload(lost).state is not State.REFUNDED:
        world.pass_time(240, 120)
    told = run(world)
    (waited,) = told.waiting
    assert (waited.intent_id, waited.started) == (lost.id, False)
    assert waited.waited > timedelta(minutes=50)
    assert (waited.would_start, waited.would_wait) == (True, timedelta(seconds=60))
    assert told.not_waiting == [waited]
    assert [one.planned.is_urgent for one in told.transfers] == [True]


def test_what_a_bridge_brings_for_one_payment_is_no_others(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI", "INVENTORY", "GATEWAY")
    world.set_inventory(ARBITRUM, 50 * USDC)
    lost = pay_out_of_inventory(world, 100)
    brought = pay_out_of_inventory(world, 200, BridgeName.GATEWAY)
    world.wait_for_state(brought, State.COMPLETED)
    assert world.moved(brought, MINT) is not None
    while world.reload(lost).state is not State.REFUNDED:
        world.pass_time(240, 120)
    told = run(world)
    assert told.payments == 2
    assert [one.intent_id for one in told.waiting] == [lost.id]
    assert told.delayed == []


def test_without_a_lack_nothing_would_have_moved(world: RebalancingWorld) -> None:
    paid = pay_out_of_inventory(world, 150)
    world.wait_for_state(paid, State.COMPLETED)
    told = run(world)
    assert (told.payments, told.waiting, told.transfers, told.cost_bps) == (1, [], (), 0.0)


def test_transfers_that_were_made_are_left_out(world: RebalancingWorld) -> None:
    """Arbitrum has 2 000 USDC by one; without it, the payment would have waited."""
    world.wait_ended(world.start(planned(TRANSFER, 1_000 * USDC)))
    paid = pay_out_of_inventory(world, 1_200)
    world.wait_for_state(paid, State.COMPLETED)
    assert world.inventory(ARBITRUM) == 800 * USDC
    world.pass_time(120)
    dear = RebalancingSettings(smallest_micro_usd=10 * USDC, max_cost_bps=1)
    told = run(world, settings=dear)
    assert told.transfers == ()
    assert told.delayed == [paid.id]
    told = run(world)
    assert [one.planned.is_urgent for one in told.transfers] == [True]
    assert told.delayed == []


def test_who_may_see_it_and_for_how_long(world: RebalancingWorld) -> None:
    with pytest.raises(InvalidInput, match="days"):
        run(world, days=0)
    with pytest.raises(Forbidden):
        dry_run(world.services, world.caller, [], SETTINGS)
