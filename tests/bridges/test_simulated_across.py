"""Payments that Across carries on the simulated network: filled, late, or returned by its pool."""

from pathlib import Path

import pytest

from crossway.adapters.chains.simulated.contracts.reach import POOL
from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxKind as K
from crossway.ports.sandbox import Faults, StrangerAction
from tests.bridges.world import BridgeWorld


@pytest.fixture
def world(tmp_path: Path) -> BridgeWorld:
    return BridgeWorld(tmp_path, "ACROSS")


def test_a_relayer_fills_a_deposit(world: BridgeWorld) -> None:
    intent = world.pay()
    assert (intent.custody, intent.terms.bridge) == (Custody.BRIDGE, "ACROSS")
    world.wait_for_state(intent, State.COMPLETED, within=60)
    assert world.paid(intent) == intent.terms.payout_amount
    assert world.held(intent, POOL, at_source=True) == intent.terms.deposit_amount
    # Nothing of ours was signed on the destination.
    assert world.txs(intent)[K.START].tx_id
    assert K.DELIVER not in world.txs(intent) or world.txs(intent)[K.DELIVER].tx_id
    world.pass_time(15)
    assert world.transfer(intent).state == "CLOSED"


def test_tokens_with_other_decimals_are_filled_at_par(world: BridgeWorld) -> None:
    intent = world.pay(source="BSC_MAINNET", to="ETHEREUM_MAINNET")
    world.wait_for_state(intent, State.COMPLETED, within=60)
    assert world.paid(intent) == intent.terms.payout_amount
    assert world.held(intent, intent.bridger) < 1_000_000


def test_what_nobody_fills_comes_back_from_the_pool(world: BridgeWorld) -> None:
    world.set_faults("ACROSS", unfilled_deposits=True)
    intent = world.pay()
    world.wait_for(intent, "OVERDUE", within=800, step=10)
    world.wait_for(intent, "EXPIRED", "REFUNDING", within=3_000, step=10)
    assert world.reload(intent).state is State.FAILED
    world.wait_for(intent, "REFUNDED", within=5_000, step=10)
    assert world.reload(intent).state is State.REFUNDED
    assert world.refunded(intent) == intent.terms.deposit_amount
    assert world.held(intent, POOL, at_source=True) == 0
    assert world.transfer(intent).state == "REFUNDED"


def test_a_late_fill_completes_the_payment(world: BridgeWorld) -> None:
    world.set_faults("ACROSS", unfilled_deposits=True)
    intent = world.pay()
    world.wait_for(intent, "OVERDUE", within=800, step=10)
    world.set_faults("ACROSS", unfilled_deposits=False)
    world.wait_for_state(intent, State.COMPLETED, within=300)
    world.pass_time(3_000, 60)
    assert world.paid(intent) == intent.terms.payout_amount
    assert world.refunded(intent) == 0


def test_nobody_fills_for_a_recipient_that_refuses(world: BridgeWorld) -> None:
    intent = world.pay()
    world.wait_for(intent, "SEEN")
    recipient = intent.terms.recipient
    world.sandbox.inject_faults(intent.terms.destination_chain, Faults(refuse=[recipient]))
    world.wait_for(intent, "REFUNDED", within=8_000, step=10)
    assert world.refunded(intent) == intent.terms.deposit_amount


def test_a_reorganised_fill_is_made_again(world: BridgeWorld) -> None:
    intent = world.pay()
    world.wait_for_state(intent, State.COMPLETED, within=60)
    world.reorganise(intent.terms.destination_chain, 4)
    world.pass_time(40)
    assert world.reload(intent).state is State.COMPLETED
    assert world.paid(intent) == intent.terms.payout_amount


def test_a_dropped_fill_is_replaced(world: BridgeWorld) -> None:
    intent = world.pay()
    world.wait_for_state(intent, State.COMPLETED, within=60)
    world.reorganise(intent.terms.destination_chain, 4, drop=1)
    world.pass_time(60)
    assert world.reload(intent).state is State.COMPLETED
    assert world.paid(intent) == intent.terms.payout_amount


def test_a_stranger_cannot_choose_what_relayers_are_asked_for(world: BridgeWorld) -> None:
    intent = world.pay()
    sent = world.act(intent, StrangerAction.SEND)
    chain = world.services.chains[intent.terms.source_chain]
    assert chain.status([sent])[sent].reason == "this account may not do this"  # type: ignore[union-attr]
    world.wait_for_state(intent, State.COMPLETED, within=60)


def test_a_paused_pool_takes_nothing(world: BridgeWorld) -> None:
    world.set_faults("ACROSS", paused=True)
    intent = world.pay()
    world.pass_time(10)
    assert "DepositsArePaused" in world.txs(intent)[K.START].reason
    world.set_faults("ACROSS", paused=False)
    world.wait_for_state(intent, State.COMPLETED, within=300)
