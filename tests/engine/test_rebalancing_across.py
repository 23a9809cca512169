"""Tokens that Across alone carries are rebalanced over it: filled, given back, and refused."""

from pathlib import Path

import pytest

from crossway.adapters.chains.simulated.contracts.timing import (
    ACROSS_FILL_DEADLINE_SECONDS,
    ACROSS_REFUND_SECONDS,
)
from crossway.domain.rebalancing import Location, PlannedTransfer, RebalancingState
from crossway.usecases.chains.kill_switches import set_kill_switch
from tests.engine.rebalancing_world import ARBITRUM, BASE, TRANSFER, RebalancingWorld
from tests.harness import CATALOGUE

WHOLE = 10**18


def location(chain: str, symbol: str) -> Location:
    return chain, CATALOGUE.tokens[chain, symbol].address


def planned(symbol: str, units: int) -> PlannedTransfer:
    ends = location(BASE, symbol), location(ARBITRUM, symbol)
    most = units + units // 100
    return PlannedTransfer("ACROSS", TRANSFER, *ends, units, most, 10**9, 10**7, 60, False, "Test.")


class World(RebalancingWorld):
    """A `RebalancingWorld` of any token."""

    def held(self, chain: str, symbol: str) -> int:  # type: ignore[override]
        relayer = self.services.chains[chain].accounts.relayer
        token = CATALOGUE.tokens[chain, symbol].address
        return self.services.chains[chain].balances([relayer], token)[relayer]


@pytest.mark.parametrize("symbol", ["WETH", "DAI"])
def test_tokens_without_another_bridge_move_over_across(tmp_path: Path, symbol: str) -> None:
    world = World(tmp_path, "ACROSS")
    before = world.held(BASE, symbol), world.held(ARBITRUM, symbol)
    transfer = world.start(planned(symbol, WHOLE))
    carried = world.wait_ended(transfer)
    # A basis point for the relayer, and one for the pool.
    assert carried.source_amount == WHOLE + WHOLE * 2 // 10_000
    assert world.held(BASE, symbol) == before[0] - carried.source_amount
    assert world.held(ARBITRUM, symbol) == before[1] + WHOLE
    assert world.stored(transfer).state is RebalancingState.ARRIVED
    world.check_books()


def test_what_nobody_fills_is_booked_back_when_it_is_back(tmp_path: Path) -> None:
    world = World(tmp_path, "ACROSS")
    before = world.held(BASE, "WETH"), world.held(ARBITRUM, "WETH")
    world.set_faults("ACROSS", unfilled_deposits=True)
    transfer = world.start(planned("WETH", WHOLE))
    world.pass_time(ACROSS_FILL_DEADLINE_SECONDS + 180, step=15)
    carried = world.carried_by(transfer)
    assert carried.state == "OVERDUE"
    assert carried.reason == "Nobody filled it in time; Across gives it back within hours."
    assert world.held(BASE, "WETH") == before[0] - carried.source_amount
    (alert,) = world.alerts("funding_overdue")
    assert alert.subject == f"rebalancing:{transfer.id}"
    world.pass_time(ACROSS_REFUND_SECONDS + 180, step=15)
    assert world.wait_ended(transfer).state == "RETURNED"
    assert world.stored(transfer).state is RebalancingState.RETURNED
    assert (world.held(BASE, "WETH"), world.held(ARBITRUM, "WETH")) == before
    world.check_books()


def test_a_kill_switch_of_across_stops_its_inventory_too(tmp_path: Path) -> None:
    world = World(tmp_path, "ACROSS")
    set_kill_switch(world.services, world.operator, "bridge:ACROSS", True, "maintenance")
    transfer = world.start(planned("WETH", WHOLE))
    world.pass_time(30)
    carried = world.carried_by(transfer)
    assert carried.state == "PLANNED"
    assert "Across is disabled" in carried.reason
