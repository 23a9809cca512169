"""The amount at risk of an alert is the money it is about, whatever the payment is worth."""

from pathlib import Path

import pytest

from crossway.domain.intent import State
from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.ports.sandbox import Faults
from crossway.usecases.operating.incidents import AlertContext, list_alert_groups
from tests.bridges.world import BridgeWorld
from tests.engine.funding_world import FundingWorld
from tests.harness import Harness

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
CHAINS = (BASE, ARBITRUM)


def at_risk(world: Harness) -> dict[str, int]:
    """The amount at risk of each kind of alert that is active."""
    groups = list_alert_groups(world.services, world.operator)
    return {group.kind: group.micro_usd for group in groups}


def only(world: Harness, kind: str) -> AlertContext:
    groups = {group.kind: group for group in list_alert_groups(world.services, world.operator)}
    [context] = groups[kind].contexts
    return context


@pytest.fixture
def world(tmp_path: Path) -> Harness:
    return Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=CHAINS)


def test_a_stray_deposit_counts_alone(world: Harness) -> None:
    intent = world.create_intent()
    usdt = world.services.catalogue.tokens[BASE, "USDT"].address
    world.deposit(intent, "1000000", token=usdt)
    world.pass_time(20)
    assert at_risk(world) == {"foreign": 1_000_000}


def test_a_return_of_an_excess_that_fails_counts_the_excess(world: Harness) -> None:
    intent = world.create_intent()
    world.sandbox.inject_faults(BASE, Faults(refuse=[intent.terms.refund_address]))
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    world.deposit(intent, "3000000")
    world.pass_time(600, step=10)
    assert at_risk(world)["refund"] == 3_000_000


def test_a_payout_that_fails_counts_the_payout(world: Harness) -> None:
    intent = world.create_intent()
    world.deposit(intent)
    world.wait_for_state(intent, State.INITIATED)
    world.sandbox.inject_faults(ARBITRUM, Faults(refuse=[intent.terms.recipient]))
    world.wait_for_state(intent, State.FAILED, State.REFUNDED, within=300)
    assert at_risk(world)["transfer"] == 25_000_000


def test_a_silent_chain_counts_the_payers_money_on_it(world: Harness) -> None:
    waits = world.create_intent()
    world.deposit(waits, "7000000")
    world.pass_time(20)
    world.sandbox.inject_faults(BASE, Faults(outage_seconds=900))
    world.sandbox.inject_faults(ARBITRUM, Faults(outage_seconds=900))
    world.pass_time(120, step=10)
    groups = {group.kind: group for group in list_alert_groups(world.services, world.operator)}
    by_chain = {context.chain: context.micro_usd for context in groups["chain"].contexts}
    assert by_chain == {BASE: 7_000_000, ARBITRUM: 0}


def test_a_bridge_that_is_late_counts_what_it_carries(tmp_path: Path) -> None:
    world = BridgeWorld(tmp_path, "CCTP", chains=CHAINS)
    world.set_faults("CCTP", silent=True)
    intent = world.pay()
    world.wait_for(intent, "DELAYED", within=300)
    world.pass_time(60, step=10)
    # The deposit with its fees, all of which was burnt.
    assert at_risk(world)["delayed"] == intent.terms.deposit_amount


def test_what_a_bridge_has_parked_counts_as_the_books_have_it(tmp_path: Path) -> None:
    world = BridgeWorld(tmp_path, "CCTP", chains=CHAINS)
    intent = world.pay()
    world.wait_for(intent, "SEEN")
    world.sandbox.inject_faults(ARBITRUM, Faults(refuse=[intent.terms.recipient]))
    world.wait_for_state(intent, State.FAILED)
    # Circle took 1.3 basis points of the deposit.
    burnt = intent.terms.deposit_amount
    assert only(world, "parked").micro_usd == burnt - -(-burnt * 130 // 1_000_000)


def test_inventory_on_its_way_counts_what_is_to_arrive(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "GATEWAY", chains=CHAINS)
    world.set_inventory(ARBITRUM, 0)
    intent = world.pay(amount="40000000")
    world.wait_for_state(intent, State.INITIATED)
    world.set_faults("GATEWAY", silent=True)
    world.pass_time(900, step=20)
    assert world.moved(intent, InventoryTransferKind.MINT) is not None
    assert at_risk(world)["funding_overdue"] == 40_000_000
