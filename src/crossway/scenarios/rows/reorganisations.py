"""Chains that change their mind, fall silent, or lie."""

from crossway.domain.intent import State
from crossway.domain.transfers import Duty
from crossway.scenarios.scenario import Back, Ends, scenario
from crossway.scenarios.stage import ARBITRUM, BASE, Stage


@scenario(
    18, "reorged-before-credit", "A deposit reorganised away before it was credited",
    Ends(State.EXPIRED),
)  # fmt: skip
def reorged_before_credit(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit("exact")
    stage.pass_time(1)
    stage.fault(BASE, "the deposit's block is replaced, the deposit is lost",
                reorgDepth=3, dropNext=1)  # fmt: skip
    stage.pass_time(20)
    stage.check(stage.now().state is State.PENDING, "it is still PENDING")
    stage.pass_expiry()
    stage.rest()


@scenario(
    19, "reorged-after-credit", "Reorganised away after crediting, before the start",
    Ends(State.EXPIRED),
)  # fmt: skip
def reorged_after_credit(stage: Stage) -> None:
    stage.create_intent()
    stage.fault(ARBITRUM, "the relayer has nothing to pay out", balances={"relayer": {"USDC": "0"}})
    stage.deposit("exact")
    stage.until(State.FUNDED)
    stage.fault(BASE, "the deposit's block is replaced, the deposit is lost",
                reorgDepth=8, dropNext=1)  # fmt: skip
    stage.until(State.PENDING)
    told = [move.tells for move in stage.story().moves]
    stage.check("intent_reorged" in told, "the way back is announced")
    stage.pass_expiry()
    stage.rest()


@scenario(
    19,
    "reorged-under-the-start",
    "The deposit is reorganised away under a start that is signed already",
    Ends(State.COMPLETED),
)
def reorged_under_the_start(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.deposit("exact")
    stage.until(State.FUNDED)
    stage.fault(BASE, "the deposit's block is replaced, the deposit is lost",
                reorgDepth=8, dropNext=1)  # fmt: skip
    stage.until(State.PENDING)
    stage.pass_time(40)
    stage.deposit(str(intent.terms.total_units))
    stage.until(State.COMPLETED)
    stage.rest()


@scenario(
    19,
    "reorged-with-the-start",
    "Deposit and confirmed start are reorganised away together before the fill is sent",
    Ends(State.COMPLETED),
)
def reorged_with_the_start(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit("exact")
    stage.until(State.FUNDED)
    stage.fault(ARBITRUM, "the node does not answer", outageSeconds=60)
    stage.until(State.INITIATED)
    stage.fault(BASE, "the blocks of deposit and start are replaced, the start is lost",
                reorgDepth=20, dropNext=0)  # fmt: skip
    stage.pass_time(2)
    stage.check(stage.now().state in (State.PENDING, State.FUNDED), "it is started no more")
    stage.until(State.COMPLETED)
    stage.rest()


@scenario(
    19,
    "reorged-after-the-fill",
    "Deposit and start are reorganised away after the recipient was paid",
    Ends(State.COMPLETED),
)
def reorged_after_the_fill(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit("exact")
    stage.until(State.COMPLETED)
    stage.fault(BASE, "the blocks of deposit and start are replaced, all is mined again",
                reorgDepth=20)  # fmt: skip
    stage.pass_time(60)
    stage.rest()
    returns = [t for t in stage.story().transfers if t.duty is Duty.RETURN_EXCESS]
    stage.check(not returns, "what was collected for the recipient is not given back")
    stage.check(stage.now().relayer_claimed, "the relayer is repaid")


@scenario(
    10,
    "refund-reorged",
    "The refund is reorganised away after it was confirmed",
    Ends(State.REFUNDED, Back.ALL),
)
def refund_reorged(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit("short")
    stage.pass_expiry()
    stage.until(State.REFUNDED)
    stage.fault(BASE, "the block of the refund is replaced, the refund is lost",
                reorgDepth=5, dropNext=1)  # fmt: skip
    stage.until(State.EXPIRED)
    stage.until(State.REFUNDED)
    stage.rest()


@scenario(
    9,
    "late-deposit-reorged",
    "A deposit after expiry is reorganised away while it is on its way back",
    Ends(State.EXPIRED),
)
def late_deposit_reorged(stage: Stage) -> None:
    stage.create_intent()
    stage.pass_expiry()
    stage.until(State.EXPIRED)
    stage.rest()
    stage.deposit("exact")
    stage.pass_time(5)
    stage.fault(BASE, "the block of the deposit is replaced, the deposit is lost",
                reorgDepth=7, dropNext=1)  # fmt: skip
    stage.pass_time(60)
    stage.rest()


@scenario(
    20, "reorged-and-mined-again", "Reorganised and mined again in another block",
    Ends(State.COMPLETED),
)  # fmt: skip
def reorged_and_mined_again(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit("exact")
    stage.until(State.FUNDED)
    stage.fault(BASE, "the deposit's block is replaced, the deposit is mined again", reorgDepth=8)
    stage.until(State.COMPLETED)
    stage.rest()
    credited = stage.story().deposits
    stage.check(len(credited) == 1, "it is one deposit")


@scenario(
    21, "node-down", "The node is down from before the deposit until after it",
    Ends(State.COMPLETED),
)  # fmt: skip
def node_down(stage: Stage) -> None:
    stage.create_intent()
    stage.fault(BASE, "the node does not answer", outageSeconds=300)
    stage.deposit("exact")
    stage.pass_time(20)
    stage.check(bool(stage.alarms()), "an alarm says that the node does not answer")
    stage.until(State.COMPLETED, within=400)
    stage.rest()


@scenario(
    21, "node-down-past-expiry", "The node is down until after the expiry",
    Ends(State.REFUNDED, Back.ALL),
)  # fmt: skip
def node_down_past_expiry(stage: Stage) -> None:
    stage.create_intent()
    stage.fault(BASE, "the node does not answer", outageSeconds=3700)
    stage.deposit("exact")
    stage.pass_time(20)
    stage.pass_expiry()
    stage.check(stage.now().state is State.PENDING, "what is unknown does not expire")
    stage.until(State.REFUNDED, within=300)
    stage.rest()


@scenario(
    22, "forged-log", "The node lies: it shows a transfer that is in no block",
    Ends(State.EXPIRED),
)  # fmt: skip
def forged_log(stage: Stage) -> None:
    _lie(stage, "forged", "the node shows a transfer that never was", seconds=20)


@scenario(22, "wrong-chain-id", "The node lies: it answers for another chain", Ends(State.EXPIRED))
def wrong_chain_id(stage: Stage) -> None:
    _lie(stage, "chain_id", "the node answers with another chain's id", seconds=20)


@scenario(22, "stale-head", "The node lies: its newest block is old", Ends(State.EXPIRED))
def stale_head(stage: Stage) -> None:
    _lie(stage, "stale", "the node shows an old block as its newest", seconds=400)


def _lie(stage: Stage, lie: str, words: str, seconds: float) -> None:
    intent = stage.create_intent()
    stage.pass_time(3)
    stage.fault(BASE, words, lie=lie)
    stage.pass_time(seconds)
    stage.check(bool(stage.alarms()), "an alarm says so")
    stage.check(stage.now().received_units == 0, "nothing is credited")
    stage.fault(BASE, "the node tells the truth again", lie="")
    stage.pass_expiry(intent)
    stage.rest()


@scenario(
    32,
    "fill-reorged",
    "The fill is reorganised away after it was final enough for us",
    Ends(State.COMPLETED),
)
def fill_reorged(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.deposit("exact")
    stage.until(State.COMPLETED)
    stage.fault(ARBITRUM, "the block of the fill is replaced, the fill is lost",
                reorgDepth=6, dropNext=1)  # fmt: skip
    stage.until(State.INITIATED)
    paid = stage.holds(ARBITRUM, intent.terms.recipient)
    stage.check(paid == 0, "the recipient has nothing on the chain that counts")
    stage.until(State.COMPLETED)
    stage.rest()
