"""Payouts in advance and reorganisations on the simulated network: nobody is paid twice."""

from pathlib import Path

import pytest

from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxKind as K
from crossway.ports.chain import IncludedTx
from crossway.ports.sandbox import StrangerAction
from tests.bridges.world import BridgeWorld


@pytest.fixture
def world(tmp_path: Path) -> BridgeWorld:
    return BridgeWorld(tmp_path, "CCTP")


def test_inventory_pays_in_advance_and_is_repaid(world: BridgeWorld) -> None:
    intent = world.create_intent("AVALANCHE_MAINNET")
    relayer = world.services.chains[intent.terms.destination_chain].accounts.relayer
    before = world.held(intent, relayer)
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED, within=60)
    assert world.paid(intent) == intent.terms.payout_amount
    assert world.held(intent, relayer) == before - intent.terms.payout_amount
    world.wait_for(intent, "DELIVERED", "CLOSED", within=60)
    world.pass_time(15)
    assert world.txs(intent).keys() == {K.START, K.FILL, K.DELIVER}
    assert world.held(intent, relayer) == before
    assert world.reload(intent).relayer_claimed


def test_a_third_party_that_paid_in_advance_is_repaid(world: BridgeWorld) -> None:
    intent = world.pay()
    world.wait_for(intent, "SEEN")
    world.act(intent, StrangerAction.FILL)
    world.wait_for(intent, "DELIVERED", "CLOSED", within=60)
    world.pass_time(15)
    assert world.reload(intent).state is State.COMPLETED
    assert world.paid(intent) == intent.terms.payout_amount


def test_whoever_comes_second_in_a_block_gets_its_money_back(world: BridgeWorld) -> None:
    intent = world.pay()
    world.wait_for(intent, "SEEN")
    world.machine.seconds += 6
    world.act(intent, StrangerAction.DELIVER)
    filled = world.act(intent, StrangerAction.FILL)
    chain = world.services.chains[intent.terms.destination_chain]
    status = chain.status([filled])[filled]
    assert isinstance(status, IncludedTx)
    assert status.reason
    world.wait_for_state(intent, State.COMPLETED, within=60)
    assert world.paid(intent) == intent.terms.payout_amount


def test_a_burn_that_is_reorganised_away_before_its_attestation_is_made_again(
    world: BridgeWorld,
) -> None:
    intent = world.pay()
    world.wait_for(intent, "SEEN")
    world.reorganise(intent.terms.source_chain, 2)
    world.wait_for_state(intent, State.COMPLETED, within=120)
    assert world.paid(intent) == intent.terms.payout_amount


def test_an_attestation_outlives_its_burn(world: BridgeWorld) -> None:
    intent = world.pay()
    world.wait_for(intent, "CLAIMABLE")
    world.reorganise(intent.terms.source_chain, 8, drop=2)
    world.wait_for_state(intent, State.COMPLETED, within=120)
    world.pass_time(60)
    assert world.paid(intent) == intent.terms.payout_amount


def test_a_reorganised_delivery_is_made_again(world: BridgeWorld) -> None:
    intent = world.pay()
    world.wait_for_state(intent, State.COMPLETED, within=60)
    world.reorganise(intent.terms.destination_chain, 2)
    world.pass_time(30)
    assert world.reload(intent).state is State.COMPLETED
    assert world.paid(intent) == intent.terms.payout_amount
