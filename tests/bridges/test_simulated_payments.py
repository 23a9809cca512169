"""Payments that CCTP carries on the simulated network, from the deposit to the end."""

from pathlib import Path

import pytest

from crossway.adapters.chains.simulated.contracts.cctp_messages import BurnMessage
from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxKind as K
from crossway.ports.sandbox import Faults, StrangerAction
from tests.bridges.world import BridgeWorld

DELAYED, CLAIMABLE = "DELAYED", "CLAIMABLE"


@pytest.fixture
def world(tmp_path: Path) -> BridgeWorld:
    return BridgeWorld(tmp_path, "CCTP")


def fast_fee(units: int) -> int:
    """Circle's fee from Base, 1.3 basis points."""
    return -(-units * 130 // 1_000_000)


def test_a_burn_is_attested_and_pays_the_recipient_exactly(world: BridgeWorld) -> None:
    intent = world.pay()
    assert (intent.custody, intent.terms.bridge) == (Custody.BRIDGE, "CCTP")
    done = world.wait_for_state(intent, State.COMPLETED, within=30)
    terms = done.terms
    assert world.paid(intent) == terms.payout_amount
    # Circle took its fee; the rest is owed to the coordinator.
    rest = terms.deposit_amount - terms.payout_amount - fast_fee(terms.deposit_amount)
    assert world.held(intent, intent.bridger) == rest
    assert world.txs(intent).keys() == {K.START, K.DELIVER}
    world.pass_time(15)
    assert world.transfer(intent).state == "CLOSED"


def test_what_a_stranger_delivers_is_booked_from_the_chain(world: BridgeWorld) -> None:
    intent = world.pay()
    world.wait_for(intent, "SEEN")
    world.machine.seconds += 6
    delivered = world.act(intent, StrangerAction.DELIVER)
    done = world.wait_for_state(intent, State.COMPLETED, within=60)
    assert done.tx_hash == delivered
    assert world.paid(intent) == intent.terms.payout_amount


@pytest.mark.parametrize("action", [StrangerAction.START, StrangerAction.SEND])
def test_a_payment_that_a_stranger_started_is_carried(
    world: BridgeWorld, action: StrangerAction
) -> None:
    intent = world.pay()
    world.act(intent, action)
    world.wait_for_state(intent, State.COMPLETED, within=60)
    assert world.paid(intent) == intent.terms.payout_amount


def test_a_late_attestation_delays_the_payment(world: BridgeWorld) -> None:
    world.set_faults("CCTP", late_seconds=600)
    intent = world.pay()
    world.wait_for(intent, DELAYED, within=200)
    assert world.transfer(intent).reason
    world.wait_for_state(intent, State.COMPLETED, within=2_000)


def test_a_silent_service_delays_the_payment(world: BridgeWorld) -> None:
    world.set_faults("CCTP", silent=True)
    intent = world.pay()
    world.wait_for(intent, DELAYED, within=200)
    assert "does not answer" in world.transfer(intent).reason
    world.set_faults("CCTP", silent=False)
    world.wait_for_state(intent, State.COMPLETED, within=600)


def test_without_allowance_the_burn_is_attested_once_final(world: BridgeWorld) -> None:
    world.set_faults("CCTP", exhausted_allowance=True)
    intent = world.pay()
    world.wait_for(intent, DELAYED, within=60)
    assert "allowance" in world.transfer(intent).reason
    world.wait_for_state(intent, State.COMPLETED, within=60)
    # Nothing was charged.
    rest = intent.terms.deposit_amount - intent.terms.payout_amount
    assert world.held(intent, intent.bridger) == rest


def test_an_expired_message_is_attested_to_again(world: BridgeWorld) -> None:
    world.set_faults("CCTP", expired_messages=True)
    intent = world.pay()
    world.wait_for_state(intent, State.COMPLETED, within=120)
    with world.store.read() as unit:
        states = [step.state for step in unit.bridge_transfers.list_steps(intent.id)]
    assert states[:5] == ["SEEN", CLAIMABLE, DELAYED, DELAYED, CLAIMABLE]
    message = BurnMessage.parse(world.transfer(intent).message)
    assert (message.finality_executed, message.expiration_block) == (2000, 0)
    assert world.paid(intent) == intent.terms.payout_amount


@pytest.mark.parametrize(
    ("answer", "named"), [("recipient", "terms"), ("amount", "amount"), ("chain", "chain")]
)
def test_a_wrong_answer_delivers_nothing(world: BridgeWorld, answer: str, named: str) -> None:
    world.set_faults("CCTP", wrong_answer=answer)
    intent = world.pay()
    world.wait_for(intent, "HALTED", within=60)
    assert named in world.transfer(intent).reason
    world.pass_time(60, 5)
    assert K.DELIVER not in world.txs(intent)
    world.set_faults("CCTP", wrong_answer="")
    world.wait_for_state(intent, State.COMPLETED, within=600)


def test_a_paused_bridge_burns_nothing_and_the_payer_is_refunded(world: BridgeWorld) -> None:
    world.set_faults("CCTP", paused=True)
    intent = world.pay()
    world.pass_time(20)
    assert world.transfer(intent).state == "PLANNED"
    assert "paused" in world.txs(intent)[K.START].reason
    world.pass_time(3_700, 60)
    world.wait_for_state(intent, State.REFUNDED, within=300)
    assert world.refunded(intent) == intent.terms.deposit_amount


def test_after_a_bare_start_a_paused_bridge_gives_the_deposit_back(world: BridgeWorld) -> None:
    world.set_faults("CCTP", paused=True)
    intent = world.pay()
    world.act(intent, StrangerAction.START)
    world.wait_for(intent, "COLLECTED")
    world.pass_time(3_700, 60)
    world.wait_for_state(intent, State.REFUNDED, within=600)
    assert world.refunded(intent) == intent.terms.deposit_amount
    assert world.held(intent, intent.bridger, at_source=True) == 0


def test_what_a_recipient_refuses_is_parked_and_released(world: BridgeWorld) -> None:
    intent = world.pay()
    world.wait_for(intent, "SEEN")
    chain, recipient = intent.terms.destination_chain, intent.terms.recipient
    world.sandbox.inject_faults(chain, Faults(refuse=[recipient]))
    world.wait_for_state(intent, State.FAILED, within=60)
    assert world.transfer(intent).state == "PARKED"
    world.sandbox.inject_faults(chain, Faults(accept=[recipient]))
    world.act(intent, StrangerAction.RELEASE)
    world.wait_for_state(intent, State.COMPLETED, within=4_000)
    assert world.paid(intent) == intent.terms.payout_amount
