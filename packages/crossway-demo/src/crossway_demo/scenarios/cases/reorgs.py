"""Chains that reorg or do not respond."""

from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxKind
from crossway_demo.scenarios.scenario import ExpectedOutcome, ReturnedFunds, scenario
from crossway_demo.scenarios.scenario_world import ARBITRUM, BASE, ScenarioWorld


@scenario(
    18,
    "reorged-before-credit",
    "A deposit reorged away before it was credited",
    ExpectedOutcome(State.EXPIRED),
)
def reorged_before_credit(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("exact")
    world.pass_time(1)
    world.fault(
        BASE, "the deposit's block is replaced, the deposit is lost", reorgDepth=3, dropNext=1
    )
    world.pass_time(20)
    world.require(world.reload().state is State.PENDING, "it is still PENDING")
    world.pass_expiry()
    world.settle()


@scenario(
    19,
    "reorged-after-credit",
    "Reorganised away after crediting, before the start",
    ExpectedOutcome(State.EXPIRED),
)
def reorged_after_credit(world: ScenarioWorld) -> None:
    world.create_intent()
    world.fault(ARBITRUM, "the relayer has no inventory", balances={"relayer": {"USDC": "0"}})
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    world.fault(
        BASE, "the deposit's block is replaced, the deposit is lost", reorgDepth=8, dropNext=1
    )
    world.wait_for(State.PENDING)
    events = [move.event_type for move in world.timeline().transitions]
    world.require("intent_reorged" in events, "the reorg is announced")
    world.pass_expiry()
    world.settle()


@scenario(
    19,
    "reorged-under-the-start",
    "The deposit is reorged away under a start that is signed already",
    ExpectedOutcome(State.COMPLETED),
)
def reorged_under_the_start(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    world.fault(
        BASE, "the deposit's block is replaced, the deposit is lost", reorgDepth=8, dropNext=1
    )
    world.wait_for(State.PENDING)
    world.pass_time(40)
    world.deposit(str(intent.terms.deposit_amount))
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    19,
    "reorged-with-the-start",
    "Deposit and confirmed start are reorged away together before the fill is sent",
    ExpectedOutcome(State.COMPLETED),
)
def reorged_with_the_start(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    world.fault(ARBITRUM, "the node does not answer", outageSeconds=60)
    world.wait_for(State.INITIATED)
    world.fault(
        BASE,
        "the blocks of deposit and start are replaced, the start is lost",
        reorgDepth=20,
        dropNext=0,
    )
    world.pass_time(2)
    world.require(world.reload().state in (State.PENDING, State.FUNDED), "it is started no more")
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    19,
    "reorged-after-the-fill",
    "Deposit and start are reorged away after the recipient was paid",
    ExpectedOutcome(State.COMPLETED),
)
def reorged_after_the_fill(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.fault(
        BASE, "the blocks of deposit and start are replaced, all is mined again", reorgDepth=20
    )
    world.pass_time(60)
    world.settle()
    returns = [t for t in world.timeline().outbound_txs if t.kind is OutboundTxKind.RETURN_EXCESS]
    world.require(not returns, "what was collected for the recipient is not given back")
    world.require(world.reload().relayer_claimed, "the relayer is repaid")


@scenario(
    10,
    "refund-reorged",
    "The refund is reorged away after it was confirmed",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def refund_reorged(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("short")
    world.pass_expiry()
    world.wait_for(State.REFUNDED)
    world.fault(
        BASE, "the block of the refund is replaced, the refund is lost", reorgDepth=5, dropNext=1
    )
    world.wait_for(State.EXPIRED)
    world.wait_for(State.REFUNDED)
    world.settle()


@scenario(
    9,
    "late-deposit-reorged",
    "A deposit after expiry is reorged away while it is on its way back",
    ExpectedOutcome(State.EXPIRED),
)
def late_deposit_reorged(world: ScenarioWorld) -> None:
    world.create_intent()
    world.pass_expiry()
    world.wait_for(State.EXPIRED)
    world.settle()
    world.deposit("exact")
    world.pass_time(5)
    world.fault(
        BASE, "the block of the deposit is replaced, the deposit is lost", reorgDepth=7, dropNext=1
    )
    world.pass_time(60)
    world.settle()


@scenario(
    20,
    "reorged-and-mined-again",
    "Reorganised and mined again in another block",
    ExpectedOutcome(State.COMPLETED),
)
def reorged_and_mined_again(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    world.fault(BASE, "the deposit's block is replaced, the deposit is mined again", reorgDepth=8)
    world.wait_for(State.COMPLETED)
    world.settle()
    credited = world.timeline().deposits
    world.require(len(credited) == 1, "it is one deposit")


@scenario(
    21,
    "node-down",
    "The node is down from before the deposit until after it",
    ExpectedOutcome(State.COMPLETED),
)
def node_down(world: ScenarioWorld) -> None:
    world.create_intent()
    world.fault(BASE, "the node does not answer", outageSeconds=300)
    world.deposit("exact")
    world.pass_time(20)
    world.require(bool(world.alerts()), "an alert says that the node does not answer")
    world.wait_for(State.COMPLETED, within=400)
    world.settle()


@scenario(
    21,
    "node-down-past-expiry",
    "The node is down until after the expiry",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def node_down_past_expiry(world: ScenarioWorld) -> None:
    world.create_intent()
    world.fault(BASE, "the node does not answer", outageSeconds=3700)
    world.deposit("exact")
    world.pass_time(20)
    world.pass_expiry()
    world.require(world.reload().state is State.PENDING, "what is unknown does not expire")
    world.wait_for(State.REFUNDED, within=300)
    world.settle()


@scenario(
    32,
    "fill-reorged",
    "The fill is reorged away after it was final enough for us",
    ExpectedOutcome(State.COMPLETED),
)
def fill_reorged(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.fault(
        ARBITRUM, "the block of the fill is replaced, the fill is lost", reorgDepth=6, dropNext=1
    )
    world.wait_for(State.INITIATED)
    paid = world.balance_of(ARBITRUM, intent.terms.recipient)
    world.require(paid == 0, "the recipient has nothing on the chain that counts")
    world.wait_for(State.COMPLETED)
    world.settle()
