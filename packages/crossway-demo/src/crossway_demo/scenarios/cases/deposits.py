"""Deposits of the right token: exact, partial, excessive, or too late to start."""

from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway_demo.scenarios.scenario import ExpectedOutcome, ReturnedFunds, scenario
from crossway_demo.scenarios.scenario_world import BASE, ScenarioWorld


@scenario(1, "exact", "The exact deposit", ExpectedOutcome(State.COMPLETED))
def exact(world: ScenarioWorld) -> None:
    world.create_intent()
    world.pass_time(5)
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.settle()
    world.require(world.reload().relayer_claimed, "the relayer is reimbursed")


@scenario(
    2,
    "short-topped-up",
    "Underpaid, then topped up before expiry",
    ExpectedOutcome(State.COMPLETED),
)
def short_topped_up(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("short")
    world.pass_time(60)
    world.require(world.reload().state is State.PENDING, "it waits for the rest")
    world.require("send another" in world.timeline().next_action, "the payer is asked for the rest")
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(3, "five-parts", "Five partial deposits that add up", ExpectedOutcome(State.COMPLETED))
def five_parts(world: ScenarioWorld) -> None:
    total = world.create_intent().terms.deposit_amount
    parts = [total // 5] * 4
    for units in (*parts, total - sum(parts)):
        world.deposit(str(units))
        world.pass_time(7)
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    4,
    "short-never-topped-up",
    "Underpaid, and never topped up",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def short_never_topped_up(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("short")
    world.pass_expiry()
    world.wait_for(State.REFUNDED)
    world.settle()


@scenario(5, "over", "Overpaid", ExpectedOutcome(State.COMPLETED, ReturnedFunds.EXCESS))
def over(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit("over")
    world.wait_for(State.INITIATED, State.COMPLETED)
    back = world.balance_of(BASE, intent.terms.refund_address)
    world.require(back > 0, "the excess is returned as soon as the payment starts")
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    5,
    "over-and-refused",
    "Overpaid, and the refund address refuses the excess, which does not block the start",
    ExpectedOutcome(State.COMPLETED, held=True, alerts=frozenset({"transfer"})),
)
def over_and_refused(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    refund_to = intent.terms.refund_address
    world.fault(BASE, "the refund address refuses every transfer", refuse=[refund_to])
    world.deposit("over")
    world.wait_for(State.COMPLETED)
    world.settle()
    world.require(
        "Operator" in world.timeline().next_action, "an operator is asked about the excess"
    )


@scenario(
    6,
    "two-in-one-block",
    "Two deposits in one block that add up",
    ExpectedOutcome(State.COMPLETED),
)
def two_in_one_block(world: ScenarioWorld) -> None:
    intent = world.create_intent(amount="25000001")
    half, rest = divmod(intent.terms.deposit_amount, 2)
    if rest:
        world.deposit("1")
    world.deposit(str(half), count=2)
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    6,
    "two-in-one-block-over",
    "Two deposits in one block, together overpaid",
    ExpectedOutcome(State.COMPLETED, ReturnedFunds.EXCESS),
)
def two_in_one_block_over(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit(str(intent.terms.deposit_amount // 2 + 1_000_000), count=2)
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(7, "nothing", "No deposit", ExpectedOutcome(State.EXPIRED))
def nothing(world: ScenarioWorld) -> None:
    world.create_intent()
    world.pass_expiry()
    world.wait_for(State.EXPIRED)
    world.settle()


@scenario(
    8,
    "last-block",
    "A deposit in the last block before expiry, too late to start safely",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def last_block(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.pass_time(intent.terms.expires_at.timestamp() - world.manual_clock.seconds - 1.5)
    world.deposit("exact")
    world.wait_for(State.REFUNDED)
    world.settle()
    world.require(len(world.timeline().attempts) == 1, "nothing but the refund was signed")


@scenario(
    8,
    "last-minute",
    "A deposit in time and credited, but too late to start safely",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def last_minute(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.pass_time(intent.terms.expires_at.timestamp() - world.manual_clock.seconds - 40)
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    world.require("too close" in world.timeline().next_action.lower(), "it says why it waits")
    world.wait_for(State.REFUNDED)
    world.settle()


@scenario(
    70,
    "sixth-return",
    "The sixth deposit too many within a day: its return waits for the next day",
    ExpectedOutcome(State.COMPLETED, ReturnedFunds.EXCESS),
)
def sixth_return(world: ScenarioWorld) -> None:
    again = str(world.create_intent().terms.deposit_amount)
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    for _ in range(6):
        world.deposit(again)
        world.pass_time(30)
    *sent, waiting = _returns(world)
    world.require(len(sent) == 5, "five deposits are returned one by one")
    world.require({tx.state for tx in sent} == {OutboundTxState.FINAL}, "they are back")
    world.require(waiting.state is OutboundTxState.DUE, "the sixth return waits")
    world.require("within a day" in waiting.reason, "it says why")
    world.narrate("A day passes")
    world.pass_time(86_400)
    world.settle()
    world.require(_returns(world)[-1].state is OutboundTxState.FINAL, "a day later it is back")


def _returns(world: ScenarioWorld) -> list[OutboundTx]:
    kind = OutboundTxKind.RETURN_EXCESS
    return [tx for tx in world.timeline().outbound_txs if tx.kind is kind]
