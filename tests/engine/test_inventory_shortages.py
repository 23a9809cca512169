"""The treasury is short of what payments wait for: it and the alert say the same."""

import random
from pathlib import Path

import pytest

from crossway.dashboard.views.treasury import build_kpis, list_shortages
from crossway.domain.intent import State
from crossway.usecases.money.inventory import InventoryPosition, get_inventory
from tests.engine.funding_world import ARBITRUM, BASE, MINT, TRANSFER, FundingWorld
from tests.harness import CATALOGUE

USDC = 10**6
RETRY_SECONDS = 10
CHAINS = [BASE, ARBITRUM, "AVALANCHE_MAINNET"]


def position(world: FundingWorld, chain: str = ARBITRUM) -> InventoryPosition:
    positions = get_inventory(world.services, world.operator).positions
    return next(p for p in positions if (p.token.chain, p.token.symbol) == (chain, "USDC"))


def alerted(world: FundingWorld) -> set[str]:
    """The chains about whose inventory there is an alert."""
    return {alert.subject.partition(":")[0] for alert in world.alerts("stock")}


def short(world: FundingWorld) -> set[str]:
    """The chains of which the treasury says that payments wait for USDC."""
    inventory = get_inventory(world.services, world.operator)
    sentences = list_shortages(CATALOGUE, inventory, inventory.positions)
    return {
        chain
        for chain in world.services.chains
        for sentence in sentences
        if sentence.startswith(f"USDC on {CATALOGUE.chains[chain].name}: payments wait for ")
    }


@pytest.fixture
def world(tmp_path: Path) -> FundingWorld:
    return FundingWorld(tmp_path, "INVENTORY", chains=CHAINS)


def test_payments_that_wait_to_be_started_are_a_shortage_while_they_wait(
    world: FundingWorld,
) -> None:
    world.set_inventory(ARBITRUM, 30 * USDC)
    first, second, third = (world.pay() for _ in range(3))
    world.wait_for_state(first, State.COMPLETED)
    world.pass_time(10)
    states = {world.reload(intent).state for intent in (second, third)}
    assert states == {State.FUNDED}
    at = position(world)
    # 30 less 25 paid are there; two payments of 25 wait.
    assert (at.balance, at.reserved, at.waiting, at.missing) == (5 * USDC, 0, 50 * USDC, 45 * USDC)
    assert at.shortfall >= 45 * USDC
    assert alerted(world) == short(world) == {ARBITRUM}
    inventory = get_inventory(world.services, world.operator)
    sentences = list_shortages(CATALOGUE, inventory, inventory.positions)
    assert sentences[0] == "USDC on Arbitrum One: payments wait for 45.00 USDC (≈ 45.00 USD)."
    kpis = {k.label: k.value for k in build_kpis(CATALOGUE, inventory, inventory.positions)}
    assert (kpis["Waiting, USD"], kpis["Locations short"]) == ("50.00", "1")
    world.set_inventory(ARBITRUM, 1_000 * USDC)
    for intent in (second, third):
        world.wait_for_state(intent, State.COMPLETED)
    world.pass_time(30)
    assert alerted(world) == short(world) == set()
    assert position(world).waiting == position(world).missing == 0


def test_a_millionth_of_a_dollar_that_is_missing_is_told(world: FundingWorld) -> None:
    world.set_inventory(ARBITRUM, 25 * USDC - 1)
    world.pay()
    world.pass_time(20)
    assert position(world).missing == 1
    assert alerted(world) == short(world) == {ARBITRUM}


def test_a_started_payment_whose_payout_waits_is_a_shortage(world: FundingWorld) -> None:
    intent = world.pay()
    world.wait_for_state(intent, State.INITIATED)
    world.set_inventory(ARBITRUM, 10 * USDC)
    world.pass_time(20)
    assert world.reload(intent).state is State.INITIATED
    at = position(world)
    assert (at.reserved, at.waiting, at.missing) == (25 * USDC, 0, 15 * USDC)
    assert alerted(world) == short(world) == {ARBITRUM}


def test_what_a_bridge_brings_is_not_missing(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "GATEWAY", chains=CHAINS)
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    world.wait_for_state(intent, State.INITIATED)
    at = position(world)
    assert (at.reserved, at.brought, at.unsent) == (25 * USDC, 25 * USDC, 25 * USDC)
    assert (at.available, at.missing) == (-25 * USDC, 0)
    world.wait_moved(intent, MINT, "SENDING", "SENT")
    assert (position(world).brought, position(world).unsent) == (25 * USDC, 0)
    while world.reload(intent).state is not State.COMPLETED:
        assert alerted(world) == short(world) == set()
        world.pass_time(1)


def test_what_a_bridge_pays_anyway_waits_for_nothing(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "CCTP", chains=CHAINS)
    world.set_inventory(ARBITRUM, 0)
    intent = world.create_intent("AVALANCHE_MAINNET")
    world.deposit(intent)
    seen = 0
    while world.reload(intent).state is not State.COMPLETED:
        world.pass_time(1)
        at = position(world)
        assert (at.waiting, at.missing) == (0, 0)
        assert alerted(world) == short(world) == set()
        seen = max(seen, at.in_advance)
    assert seen == 25 * USDC


def test_a_source_from_which_a_bridge_cannot_take_enough_is_short(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "RHINOFI", chains=CHAINS)
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay()
    world.wait_moved(intent, TRANSFER, "PLANNED", "AGREED")
    world.set_inventory(BASE, 5 * USDC)
    world.pass_time(20)
    leaves = position(world, BASE).leaving
    assert leaves > 25 * USDC
    assert position(world, BASE).missing == leaves - 5 * USDC
    assert alerted(world) == short(world) == {BASE}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("bridges", [("INVENTORY",), ("GATEWAY", "RHINOFI", "INVENTORY")])
def test_no_alert_stands_beside_a_treasury_that_lacks_nothing(
    tmp_path: Path, bridges: tuple[str, ...], seed: int
) -> None:
    choose, world = random.Random(seed), FundingWorld(tmp_path, *bridges, chains=CHAINS)
    # How long an alert has stood on, after its cause was gone, until the engine looked again.
    lasted: dict[str, int] = {}
    most = 0
    for _ in range(20):
        match choose.randrange(3):
            case 0:
                world.set_inventory(choose.choice(CHAINS), choose.randrange(0, 80) * USDC)
            case _:
                source, to = choose.sample(CHAINS, 2)
                world.deposit(world.create_intent(source, to))
        for _ in range(choose.randrange(1, 6)):
            world.pass_time(1)
            told, lack = alerted(world), short(world)
            lasted = {chain: lasted.get(chain, 0) + 1 for chain in told - lack}
            most = max([most, *lasted.values()])
    assert 0 < most <= RETRY_SECONDS
