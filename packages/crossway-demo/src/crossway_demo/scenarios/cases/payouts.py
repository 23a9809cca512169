"""Collecting the deposit and paying the recipient, and what can prevent it."""

from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from crossway.ports.records import TxAttempt
from crossway_demo.scenarios.scenario import ExpectedOutcome, ReturnedFunds, scenario
from crossway_demo.scenarios.scenario_world import ARBITRUM, BASE, ScenarioWorld

EMPTY = {"relayer": {"USDC": "0"}}
FULL = {"relayer": {"USDC": "1000000000000"}}
NO_GAS = {"relayer": {"ETH": "0"}}
GAS = {"relayer": {"ETH": "1000000000000000000"}}


@scenario(
    23, "start-reverts-once", "The start reverts once, then works", ExpectedOutcome(State.COMPLETED)
)
def start_reverts_once(world: ScenarioWorld) -> None:
    world.create_intent()
    world.fault(BASE, "the next transaction reverts", revertNext=1)
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    24,
    "start-never",
    "The start can never succeed",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def start_never(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.fault(BASE, "the collecting account refuses every transfer", refuse=[intent.bridger])
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    world.pass_time(120)
    world.require(bool(world.alerts()), "an alert says that the start failed")
    world.require("expires" in world.timeline().next_action, "it says when the money goes back")
    world.pass_expiry()
    world.wait_for(State.REFUNDED)
    world.settle()


@scenario(
    25,
    "inventory-short",
    "The relayer's inventory is short, then topped up",
    ExpectedOutcome(State.COMPLETED),
)
def inventory_short(world: ScenarioWorld) -> None:
    world.create_intent()
    world.fault(ARBITRUM, "the relayer has no inventory", balances=EMPTY)
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    world.pass_time(30)
    _waits(world, "stock")
    world.fault(ARBITRUM, "an operator funds the relayer", balances=FULL)
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    25,
    "inventory-stays-short",
    "The relayer's inventory stays short to the safe margin",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def inventory_stays_short(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.fault(ARBITRUM, "the relayer has no inventory", balances=EMPTY)
    world.deposit("exact")
    world.pass_time(30)
    _waits(world, "stock")
    world.pass_time(intent.terms.expires_at.timestamp() - world.manual_clock.seconds - 50)
    world.fault(ARBITRUM, "an operator funds the relayer, too late", balances=FULL)
    world.wait_for(State.REFUNDED)
    world.settle()


@scenario(
    26,
    "no-gas-source",
    "The relayer has no gas on the source chain",
    ExpectedOutcome(State.COMPLETED),
)
def no_gas_source(world: ScenarioWorld) -> None:
    _without_gas(world, BASE)


@scenario(
    26,
    "no-gas-destination",
    "The relayer has no gas on the destination chain",
    ExpectedOutcome(State.COMPLETED),
)
def no_gas_destination(world: ScenarioWorld) -> None:
    _without_gas(world, ARBITRUM)


def _without_gas(world: ScenarioWorld, chain: str) -> None:
    world.create_intent()
    world.fault(chain, "the relayer has no gas", balances=NO_GAS)
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    world.pass_time(30)
    _waits(world, "gas")
    world.fault(chain, "an operator funds the relayer's gas", balances=GAS)
    world.wait_for(State.COMPLETED)
    world.settle()


def _waits(world: ScenarioWorld, kind: str) -> None:
    world.require(world.reload().state is State.FUNDED, "it waits, not started")
    world.require(kind in world.alert_kinds(), f"an alert of kind {kind} stands")


@scenario(
    26,
    "no-gas-at-all",
    "The relayer stays without gas to the safe margin, and the refund waits",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def no_gas_at_all(world: ScenarioWorld) -> None:
    world.create_intent()
    world.fault(BASE, "the relayer has no gas", balances=NO_GAS)
    world.deposit("exact")
    world.pass_expiry()
    world.wait_for(State.EXPIRED)
    world.pass_time(30)
    world.fault(BASE, "an operator funds the relayer's gas", balances=GAS)
    world.wait_for(State.REFUNDED)
    world.settle()


@scenario(
    27,
    "recipient-refused",
    "The token refuses the recipient: the simulation shows it, and nothing is started",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def recipient_refused(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    refused = [intent.terms.recipient]
    world.fault(ARBITRUM, "the token refuses the recipient", refuse=refused)
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    world.pass_time(120)
    world.require(world.reload().state is State.FUNDED, "it is not started")
    world.require("cannot be paid" in world.timeline().next_action, "it says why")
    world.pass_expiry()
    world.wait_for(State.REFUNDED)
    world.settle()


@scenario(
    27,
    "fill-refused",
    "The token refuses the recipient after the start: the network costs are kept",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.LESS_COSTS),
)
def fill_refused(world: ScenarioWorld) -> None:
    _refuse_after_start(world)
    world.wait_for(State.FAILED)
    world.wait_for(State.REFUNDED)
    world.settle()


@scenario(
    27,
    "fill-refused-then-reorged",
    "A reorg makes the refused fill possible after the refund: it must not land",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.LESS_COSTS),
)
def fill_refused_then_reorged(world: ScenarioWorld) -> None:
    intent = _refuse_after_start(world)
    world.wait_for(State.FAILED, State.REFUNDED)
    world.fault(
        ARBITRUM,
        "the token accepts the recipient, and seven blocks are replaced",
        accept=[intent.terms.recipient],
        reorgDepth=7,
    )
    world.wait_for(State.REFUNDED)
    world.settle()


def _refuse_after_start(world: ScenarioWorld) -> Intent:
    """A payment whose recipient is refused once the start has been sent."""
    intent = world.create_intent()
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    refused = [intent.terms.recipient]
    world.fault(ARBITRUM, "the token refuses the recipient", refuse=refused)
    return intent


@scenario(
    28,
    "killed-after-sending",
    "The fill is sent and the process is killed before the answer",
    ExpectedOutcome(State.COMPLETED),
)
def killed_after_sending(world: ScenarioWorld) -> None:
    _killed(world, "sent:FILL")


@scenario(
    29,
    "killed-before-sending",
    "ProcessKilled between storing the signed bytes and broadcasting",
    ExpectedOutcome(State.COMPLETED),
)
def killed_before_sending(world: ScenarioWorld) -> None:
    _killed(world, "signed:FILL")


def _killed(world: ScenarioWorld, step: str) -> None:
    world.create_intent()
    world.kill_at(step)
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.settle()
    world.require(len(_attempts(world, OutboundTxKind.FILL)) == 1, "it was signed once")


@scenario(30, "stuck-fee", "The fill is stuck at too low a fee", ExpectedOutcome(State.COMPLETED))
def stuck_fee(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    world.kill_at("signed:FILL")
    world.wait_for(State.INITIATED)
    world.fault(ARBITRUM, "fees are three times what they were", feeFactor=3)
    world.wait_for(State.COMPLETED, within=200)
    world.settle()
    nonces = {attempt.signed.nonce for attempt in _attempts(world, OutboundTxKind.FILL)}
    world.require(len(_attempts(world, OutboundTxKind.FILL)) >= 2, "the fee was bumped")
    world.require(len(nonces) == 1, "with the same nonce")


@scenario(
    31,
    "nonce-taken",
    "The fill is dropped and its nonce used by another transaction",
    ExpectedOutcome(State.COMPLETED, unbooked_txs=1),
)
def nonce_taken(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("exact")
    world.kill_at("signed:FILL")
    world.wait_for(State.INITIATED)
    world.fault(ARBITRUM, "somebody else uses the relayer's next nonce", takeNonce=True)
    world.wait_for(State.COMPLETED)
    world.settle()
    world.require(
        len(_attempts(world, OutboundTxKind.FILL)) == 2, "it was signed again with another nonce"
    )


@scenario(40, "claim-late", "The escrow repays the relayer late", ExpectedOutcome(State.COMPLETED))
def claim_late(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.fault(BASE, "the escrow cannot pay the relayer", refuse=[intent_relayer(world)])
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.pass_time(60)
    world.require(not world.reload().relayer_claimed, "the claim is open")
    world.require("repay the relayer" in world.timeline().next_action, "it says who owes whom")
    world.pass_time(4_000)
    world.require("claim" in world.alert_kinds(), "past its time there is an alert")
    world.fault(BASE, "the escrow can pay again", accept=[intent_relayer(world)])
    world.pass_time(320)
    world.settle()
    world.require(world.reload().relayer_claimed, "the claim is paid")
    world.require(intent.id == world.reload().id, "it is the same payment")


def intent_relayer(world: ScenarioWorld) -> str:
    """The relayer's own address where it collects."""
    return world.services.chains[BASE].accounts.relayer


def _attempts(world: ScenarioWorld, duty: OutboundTxKind) -> list[TxAttempt]:
    story = world.timeline()
    of = {t.id for t in story.outbound_txs if t.kind is duty}
    return [attempt for attempt in story.attempts if attempt.outbound_tx_id in of]
