"""Transfers of inventory that a person plans: every limit but those of the policies holds."""

from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.errors import InvalidInput, InvalidStatus
from crossway.domain.rebalancing import RebalancingSettings, RebalancingState
from crossway.ports.sandbox import Faults
from crossway.usecases.money import rebalancing_transfers
from crossway.usecases.money.rebalancing_by_hand import plan_by_hand
from tests.engine.rebalancing_world import (
    ARBITRUM,
    BASE,
    DEPOSIT,
    MINT,
    TRANSFER,
    UNIFIED,
    USDC,
    RebalancingWorld,
    usdc,
)
from tests.harness import CATALOGUE

AMOUNT = 1_000 * USDC


@pytest.fixture
def world(tmp_path: Path) -> RebalancingWorld:
    return RebalancingWorld(tmp_path, "RHINOFI")


def test_what_a_person_plans_is_carried_out(world: RebalancingWorld) -> None:
    planned = plan_by_hand(world.services, world.operator, usdc(BASE), usdc(ARBITRUM), AMOUNT)
    assert (planned.bridge, planned.kind, planned.amount) == ("RHINOFI", TRANSFER, AMOUNT)
    # 20 basis points may be spent on it at most, in the source's token too.
    assert planned.max_source_amount == 1_002 * USDC
    assert 0 < planned.fee_micro_usd <= 2 * USDC
    placed = rebalancing_transfers.carry_out(world.services, world.operator, planned)
    world.wait_ended(placed)
    assert world.stored(placed).state is RebalancingState.ARRIVED
    world.check_books()


def test_neither_a_policy_nor_a_small_amount_forbids_it(world: RebalancingWorld) -> None:
    planned = plan_by_hand(world.services, world.operator, usdc(BASE), usdc(ARBITRUM), 20 * USDC)
    assert planned.amount == 20 * USDC


def test_the_unified_balance_is_one_of_the_ends(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "GATEWAY")
    for source, destination, kind in (
        (usdc(BASE), UNIFIED, DEPOSIT),
        (UNIFIED, usdc(ARBITRUM), MINT),
    ):
        planned = plan_by_hand(world.services, world.operator, source, destination, AMOUNT)
        assert (planned.bridge, planned.kind, planned.amount) == ("GATEWAY", kind, AMOUNT)


def test_why_it_is_not_possible_is_a_sentence(world: RebalancingWorld) -> None:
    def plan(amount: int, bridge: str = "") -> None:
        ends = (usdc(BASE), usdc(ARBITRUM))
        plan_by_hand(world.services, world.operator, *ends, amount, bridge)

    with pytest.raises(InvalidInput, match=r"^amount"):
        plan(0)
    with pytest.raises(InvalidStatus, match="Not more than 50,000 USDC can be moved"):
        plan(60_000 * USDC)
    with pytest.raises(InvalidStatus, match="no bridge"):
        plan(AMOUNT, "GATEWAY")
    dear = replace(RebalancingSettings(), max_cost_bps=1)
    world.store.write(lambda unit: unit.rebalancing.save_settings(dear))
    with pytest.raises(InvalidStatus, match=r"rhino\.fi costs .* bps, more than is allowed"):
        plan(AMOUNT)
    world.set_inventory(BASE, 0)
    with pytest.raises(InvalidStatus, match="no other location has any to spare"):
        plan(AMOUNT)
    world.sandbox.inject_faults(BASE, Faults(outage_seconds=60))
    with pytest.raises(InvalidStatus):
        plan(AMOUNT)


def test_both_ends_hold_the_same_token(world: RebalancingWorld) -> None:
    weth = (ARBITRUM, CATALOGUE.tokens[ARBITRUM, "WETH"].address)
    for destination in (weth, usdc(BASE), ("NOWHERE", "0x1")):
        with pytest.raises(InvalidInput, match="source and destination"):
            plan_by_hand(world.services, world.operator, usdc(BASE), destination, AMOUNT)
