"""Inventory is rebalanced by policy on live chains, through the unified balance at Gateway."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.ledger import UNIFIED_TOKEN, unified_location
from crossway.domain.rebalancing import (
    Location,
    RebalancingMode,
    RebalancingPolicy,
    RebalancingSettings,
    RebalancingState,
    RebalancingTransfer,
)
from crossway.engine.rebalancer import run_pass
from crossway.usecases.money.reconciliation import reconcile
from tests.bridges.gateway_chains import STOCK, following, paying_gateway_chains
from tests.bridges.gateway_service import GatewayService
from tests.chains.anvil import RELAYER, Anvil
from tests.chains.live import ARBITRUM, BASE, LiveWorld
from tests.chains.service import profile_of

BLOCKS = 2_000
USDC = 10**6
UNIFIED = (unified_location(testnet=False), UNIFIED_TOKEN)
# What gas costs on such a chain is nothing to go by.
SETTINGS = RebalancingSettings(
    mode=RebalancingMode.AUTOMATIC,
    max_cost_bps=2_000,
    smallest_micro_usd=USDC,
    cool_down_seconds=0,
)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[tuple[LiveWorld, dict[str, Anvil], GatewayService]]:
    with paying_gateway_chains() as chains, following(chains) as running:
        profile = profile_of(tmp_path, chains.values(), bridges=("GATEWAY",))
        profile.write_text(profile.read_text() + f'[gateway]\nurl = "{running.url}"\n')
        built = LiveWorld(tmp_path, chains, profile)
        yield built, chains, running
        built.close()


def set_policy(world: LiveWorld, location: Location, *dollars: int) -> None:
    minimum, target, maximum = (amount * USDC for amount in dollars)
    now = world.services.clock.now()
    policy = RebalancingPolicy(*location, minimum, target, maximum, 1, "ada", now)
    world.services.store.write(lambda unit: unit.rebalancing.set_policy(policy))


def transfers(world: LiveWorld) -> list[RebalancingTransfer]:
    """All, oldest first."""
    with world.services.store.read() as unit:
        return unit.rebalancing.list_page(100)[::-1]


def test_excess_is_deposited_and_minted_where_it_lacks(
    world: tuple[LiveWorld, dict[str, Anvil], GatewayService],
) -> None:
    built, chains, _ = world
    services, base, arbitrum = built.services, chains[BASE], chains[ARBITRUM]
    built.record_openings()
    set_policy(built, (BASE, base.token), 0, 10, 20)
    set_policy(built, (ARBITRUM, arbitrum.token), 120, 150, 1_000)
    set_policy(built, UNIFIED, 0, 0, 10_000)
    services.store.write(lambda unit: unit.rebalancing.save_settings(SETTINGS))
    # Nobody has any for Arbitrum to spare but Base, from which Gateway takes it only this way.
    run_pass(services)
    (deposit,) = transfers(built)
    assert (deposit.source, deposit.destination) == ((BASE, base.token), UNIFIED)
    built.until(lambda: transfers(built)[0].state is RebalancingState.ARRIVED, BLOCKS)
    assert base.balance(RELAYER) == 10 * USDC
    assert sum(services.inventory_bridges["GATEWAY"].balances().values()) == 90 * USDC
    run_pass(services)
    _, mint = transfers(built)
    assert (mint.source, mint.destination) == (UNIFIED, (ARBITRUM, arbitrum.token))
    assert mint.amount == 50 * USDC
    built.until(lambda: transfers(built)[1].state is RebalancingState.ARRIVED, BLOCKS)
    assert arbitrum.balance(RELAYER) == STOCK + 50 * USDC
    run_pass(services)
    assert len(transfers(built)) == 2
    for one in chains.values():
        one.mine(12)
    built.until(lambda: not reconcile(services, built.operator).differences, BLOCKS)
    assert reconcile(services, built.operator).sentences() == ["The books and the chains agree."]
