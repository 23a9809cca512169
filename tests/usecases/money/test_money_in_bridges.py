"""The money in bridges is what the ledger has in transit, with its age, due time and state."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from crossway.domain.errors import Forbidden
from crossway.domain.intent import State
from crossway.domain.ledger import Account
from crossway.domain.rebalancing import Location
from crossway.usecases.money.inventory import get_inventory
from crossway.usecases.money.money_in_bridges import MoneyInBridge, list_money_in_bridges
from tests.engine.funding_world import ARBITRUM, BASE, FundingWorld
from tests.harness import CATALOGUE, Harness

pytestmark = pytest.mark.slow

CHAINS = (BASE, ARBITRUM, "AVALANCHE_MAINNET")
USDC_ON_BASE = (BASE, CATALOGUE.tokens[BASE, "USDC"].address)


def in_bridges(world: Harness) -> list[MoneyInBridge]:
    """The money in bridges, after it was compared with the ledger and with the inventory."""
    money = list_money_in_bridges(world.services, world.operator)
    sums: Counter[Location] = Counter()
    for one in money:
        sums[one.source] += one.amount
    with world.store.read() as unit:
        booked = {
            key[1:]: units
            for key, units in unit.ledger.get_balances().items()
            if key[0] is Account.IN_TRANSIT and units
        }
    assert sums == booked
    positions = get_inventory(world.services, world.operator).positions
    shown = {(p.token.chain, p.token.address): p.on_bridges for p in positions if p.on_bridges}
    assert shown == booked
    return money


def test_a_burn_is_in_a_bridge_until_it_is_delivered(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "CCTP", chains=CHAINS)
    assert in_bridges(world) == []
    intent = world.pay()
    world.wait_for(intent, "SEEN")
    sent_at = world.clock.now()
    [one] = in_bridges(world)
    assert (one.owner, one.bridge, one.source) == (intent.id, "CCTP", USDC_ON_BASE)
    assert one.destination == (ARBITRUM, CATALOGUE.tokens[ARBITRUM, "USDC"].address)
    # All of the deposit was burnt, the fees with it.
    assert one.amount == intent.terms.deposit_amount > 25_000_000
    assert abs(one.since - sent_at) < timedelta(seconds=5)
    assert one.due is not None
    assert one.due > one.since
    assert (one.state, one.is_overdue) == ("SEEN", False)
    world.wait_for_state(intent, State.COMPLETED)
    assert in_bridges(world) == []


def test_what_is_late_is_overdue_and_says_why(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "CCTP", chains=CHAINS)
    world.set_faults("CCTP", silent=True)
    late = world.pay()
    world.wait_for(late, "DELAYED", within=300)
    [one] = in_bridges(world)
    assert (one.owner, one.is_overdue) == (late.id, True)
    assert "does not answer" in one.reason
    assert one.due is not None
    assert one.due < world.clock.now()


@pytest.mark.parametrize("bridge", ["ACROSS", "RHINOFI", "GATEWAY", "CCTP"])
def test_at_every_second_it_is_what_the_ledger_has_in_transit(tmp_path: Path, bridge: str) -> None:
    world = FundingWorld(tmp_path, bridge, chains=CHAINS)
    world.set_inventory(ARBITRUM, 30_000_000)
    intents = [world.pay(amount=str(n * 1_000_000)) for n in (25, 40, 60)]
    seen = set()
    for _ in range(90):
        world.pass_time(1)
        seen |= {(one.bridge, one.owner > 0) for one in in_bridges(world)}
    assert {world.reload(intent).state for intent in intents} == {State.COMPLETED}
    assert seen == {(bridge, True)}


def test_what_nobody_fills_is_in_the_bridge_until_it_is_back(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "ACROSS", chains=CHAINS)
    world.set_faults("ACROSS", unfilled_deposits=True)
    intent, states = world.pay(), list[str]()
    for _ in range(150):
        world.pass_time(60, step=20)
        money = in_bridges(world)
        states += [one.state for one in money if one.state not in states]
        assert all(one.amount == intent.terms.deposit_amount for one in money)
    assert world.reload(intent).state is State.REFUNDED
    assert states[:3] == ["SEEN", "OVERDUE", "EXPIRED"]


def test_only_staff_see_it(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "CCTP", chains=CHAINS)
    with pytest.raises(Forbidden):
        list_money_in_bridges(world.services, world.caller)
