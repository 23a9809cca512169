"""Payments over CCTP: delivered, paid in advance, delayed, parked, given back."""

from dataclasses import replace

from crossway.domain.bridge_transfer import BridgeTransferState as S
from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxKind
from crossway.ports.sandbox import StrangerAction
from crossway.usecases.payments import manual_refunds
from crossway_demo.scenarios.bridge_actions import (
    act_as_stranger,
    bridge_fault,
    transfer_reason,
    wait_for_transfer,
)
from crossway_demo.scenarios.routes import OVER_CCTP
from crossway_demo.scenarios.scenario import ExpectedOutcome, ReturnedFunds, scenario
from crossway_demo.scenarios.scenario_world import ARBITRUM, BASE, ScenarioWorld

AVALANCHE = "AVALANCHE_MAINNET"
EMPTY = {"relayer": {"USDC": "0"}}
COMPLETED = ExpectedOutcome(State.COMPLETED)
REFUNDED = ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL)


@scenario(
    43,
    "cctp-fast",
    "CCTP fast pays the recipient; the relayer has no inventory",
    COMPLETED,
    bridges=OVER_CCTP,
)
def cctp_fast(world: ScenarioWorld) -> None:
    world.create_intent()
    world.fault(ARBITRUM, "the relayer has no inventory", balances=EMPTY)
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.settle()
    kinds = {tx.kind for tx in world.timeline().outbound_txs}
    world.require(kinds == {OutboundTxKind.START, OutboundTxKind.DELIVER}, "the bridge paid")


@scenario(
    44,
    "paid-in-advance",
    "CCTP takes long: the relayer pays in advance and is repaid by the delivery",
    COMPLETED,
    chains=(AVALANCHE, ARBITRUM),
    bridges=OVER_CCTP,
)
def paid_in_advance(world: ScenarioWorld) -> None:
    world.create_intent(AVALANCHE, ARBITRUM)
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    wait_for_transfer(world, S.DELIVERED, S.CLOSED)
    world.settle()
    world.require(world.reload().relayer_claimed, "the delivery repaid the relayer")


@scenario(
    45,
    "third-party-paid",
    "A third party pays the recipient in advance and is repaid by the delivery",
    COMPLETED,
    bridges=OVER_CCTP,
)
def third_party_paid(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("exact")
    wait_for_transfer(world, S.SEEN)
    act_as_stranger(world, StrangerAction.FILL, "pays the recipient")
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    46,
    "payout-races-delivery",
    "A payout in advance and the delivery reach the same block",
    COMPLETED,
    bridges=OVER_CCTP,
)
def payout_races_delivery(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("exact")
    wait_for_transfer(world, S.SEEN)
    world.manual_clock.seconds += 6
    act_as_stranger(world, StrangerAction.DELIVER, "delivers the message")
    act_as_stranger(world, StrangerAction.FILL, "wants to pay the recipient, too late")
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(47, "stranger-delivers", "A stranger delivers the message", COMPLETED, bridges=OVER_CCTP)
def stranger_delivers(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("exact")
    wait_for_transfer(world, S.SEEN)
    world.manual_clock.seconds += 6
    delivered = act_as_stranger(world, StrangerAction.DELIVER, "delivers the message")
    world.wait_for(State.COMPLETED)
    world.settle()
    world.require(world.reload().tx_hash == delivered, "it is booked from the chain")


@scenario(
    48,
    "attestation-late",
    "The attestation service is silent for an hour",
    COMPLETED,
    bridges=OVER_CCTP,
)
def attestation_late(world: ScenarioWorld) -> None:
    world.create_intent()
    bridge_fault(world, "CCTP", "its service does not answer", silent=True)
    world.deposit("exact")
    wait_for_transfer(world, S.DELAYED, within=300, step=5)
    world.pass_time(3_600)
    world.require(bool(transfer_reason(world)), "it says why")
    bridge_fault(world, "CCTP", "its service answers again", silent=False)
    world.wait_for(State.COMPLETED, within=1_500, step=30)
    world.settle()


@scenario(
    48,
    "fast-allowance-used-up",
    "The allowance for fast transfers is used up: attested once final",
    COMPLETED,
    bridges=OVER_CCTP,
)
def allowance_used_up(world: ScenarioWorld) -> None:
    world.create_intent()
    bridge_fault(world, "CCTP", "its fast allowance is used up", exhaustedAllowance=True)
    world.deposit("exact")
    wait_for_transfer(world, S.DELAYED)
    world.require("allowance" in transfer_reason(world), "it says why")
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    49,
    "message-expired",
    "The fast message has expired: it is attested to again",
    COMPLETED,
    bridges=OVER_CCTP,
)
def message_expired(world: ScenarioWorld) -> None:
    world.create_intent()
    bridge_fault(world, "CCTP", "its messages expire at once", expiredMessages=True)
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    50,
    "attestation-wrong",
    "The attestation service names another recipient: nothing is delivered",
    ExpectedOutcome(State.COMPLETED),
    bridges=OVER_CCTP,
)
def attestation_wrong(world: ScenarioWorld) -> None:
    world.create_intent()
    bridge_fault(world, "CCTP", "it names another recipient", wrongAnswer="recipient")
    world.deposit("exact")
    wait_for_transfer(world, S.HALTED)
    world.pass_time(60)
    kinds = {tx.kind for tx in world.timeline().outbound_txs}
    world.require(OutboundTxKind.DELIVER not in kinds, "nothing is delivered")
    world.require(bool(world.alerts()), "an alert says so")
    bridge_fault(world, "CCTP", "it names the right one", wrongAnswer="")
    world.wait_for(State.COMPLETED, within=1_500)
    world.settle()


@scenario(
    51,
    "recipient-denied-at-delivery",
    "The token refuses the recipient at the delivery: parked, and released later",
    COMPLETED,
    bridges=OVER_CCTP,
)
def recipient_denied_at_delivery(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit("exact")
    wait_for_transfer(world, S.SEEN)
    recipient = [intent.terms.recipient]
    world.fault(ARBITRUM, "the token refuses the recipient", refuse=recipient)
    world.wait_for(State.FAILED)
    world.require(bool(world.alerts()), "an alert says that it is parked")
    world.fault(ARBITRUM, "the token accepts the recipient again", accept=recipient)
    act_as_stranger(world, StrangerAction.RELEASE, "releases what is parked to the recipient")
    world.wait_for(State.COMPLETED, within=4_000)
    world.settle()


@scenario(
    52,
    "burn-paused",
    "CCTP is paused after a stranger's start: given back at expiry",
    REFUNDED,
    bridges=OVER_CCTP,
)
def burn_paused(world: ScenarioWorld) -> None:
    world.create_intent()
    bridge_fault(world, "CCTP", "its contracts are paused", paused=True)
    world.deposit("exact")
    world.pass_time(2)
    act_as_stranger(world, StrangerAction.START, "starts the payment")
    world.pass_time(60)
    world.require(bool(world.alerts()), "an alert says why")
    world.pass_expiry()
    world.wait_for(State.REFUNDED, within=600)
    bridge_fault(world, "CCTP", "its contracts work again", paused=False)
    world.settle()


@scenario(
    52,
    "burn-taken-back",
    "CCTP is paused after a stranger's start: an operator takes the deposit back at once",
    REFUNDED,
    bridges=OVER_CCTP,
)
def burn_taken_back(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    bridge_fault(world, "CCTP", "its contracts are paused", paused=True)
    world.deposit("exact")
    world.pass_time(2)
    act_as_stranger(world, StrangerAction.START, "starts the payment")
    wait_for_transfer(world, S.COLLECTED)
    process = replace(world.services.process, pause=lambda: world.pass_time(1))
    services = replace(world.services, process=process)
    tx = world.try_action(
        "An operator takes the deposit back",
        lambda: manual_refunds.refund(services, world.operator, intent.address),
    )
    back = world.wait_for(State.REFUNDED)
    world.require(back.tx_hash == tx, "the contract's own transaction refunded it")
    bridge_fault(world, "CCTP", "its contracts work again", paused=False)
    world.settle()


@scenario(
    53,
    "burn-reorged",
    "The burn's block is replaced before the attestation",
    COMPLETED,
    bridges=OVER_CCTP,
)
def burn_reorged(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("exact")
    wait_for_transfer(world, S.SEEN)
    world.fault(BASE, "the newest blocks are replaced", reorgDepth=2)
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    53,
    "burn-reorged-late",
    "The burn's block is replaced after the attestation",
    COMPLETED,
    bridges=OVER_CCTP,
)
def burn_reorged_late(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("exact")
    wait_for_transfer(world, S.CLAIMABLE)
    world.fault(BASE, "the newest blocks are replaced", reorgDepth=6)
    world.wait_for(State.COMPLETED)
    world.settle()
