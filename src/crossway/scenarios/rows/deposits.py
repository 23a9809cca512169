"""What a payer can do with the right money: enough, too little, too much, too late to start."""

from crossway.domain.intent import State
from crossway.scenarios.scenario import Back, Ends, scenario
from crossway.scenarios.stage import BASE, Stage


@scenario(1, "exact", "The exact deposit", Ends(State.COMPLETED))
def exact(stage: Stage) -> None:
    stage.create_intent()
    stage.pass_time(5)
    stage.deposit("exact")
    stage.until(State.COMPLETED)
    stage.rest()
    stage.check(stage.now().relayer_claimed, "the relayer is repaid")


@scenario(2, "short-topped-up", "Too little, then topped up before expiry", Ends(State.COMPLETED))
def short_topped_up(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit("short")
    stage.pass_time(60)
    stage.check(stage.now().state is State.PENDING, "it waits for the rest")
    stage.check("sends another" in stage.story().who_acts, "the payer is asked for the rest")
    stage.deposit("exact")
    stage.until(State.COMPLETED)
    stage.rest()


@scenario(3, "five-parts", "Five partial deposits that add up", Ends(State.COMPLETED))
def five_parts(stage: Stage) -> None:
    total = stage.create_intent().terms.total_units
    parts = [total // 5] * 4
    for units in (*parts, total - sum(parts)):
        stage.deposit(str(units))
        stage.pass_time(7)
    stage.until(State.COMPLETED)
    stage.rest()


@scenario(
    4, "short-never-topped-up", "Too little, and never topped up", Ends(State.REFUNDED, Back.ALL)
)
def short_never_topped_up(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit("short")
    stage.pass_expiry()
    stage.until(State.REFUNDED)
    stage.rest()


@scenario(5, "over", "Too much", Ends(State.COMPLETED, Back.EXCESS))
def over(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.deposit("over")
    stage.until(State.INITIATED, State.COMPLETED)
    back = stage.holds(BASE, intent.terms.refund_address)
    stage.check(back > 0, "the excess is back as soon as the payment starts")
    stage.until(State.COMPLETED)
    stage.rest()


@scenario(
    5,
    "over-and-refused",
    "Too much, and the refund address refuses the excess: that does not block the start",
    Ends(State.COMPLETED, held=True, alarms=frozenset({"transfer"})),
)
def over_and_refused(stage: Stage) -> None:
    intent = stage.create_intent()
    refund_to = intent.terms.refund_address
    stage.fault(BASE, "the refund address refuses every transfer", refuse=[refund_to])
    stage.deposit("over")
    stage.until(State.COMPLETED)
    stage.rest()
    stage.check("operator" in stage.story().who_acts, "an operator is asked about the excess")


@scenario(
    6,
    "two-in-one-block",
    "Two deposits in one block, together exact",
    Ends(State.COMPLETED),
)
def two_in_one_block(stage: Stage) -> None:
    intent = stage.create_intent(amount="25000001")
    half, rest = divmod(intent.terms.total_units, 2)
    if rest:
        stage.deposit("1")
    stage.deposit(str(half), count=2)
    stage.until(State.COMPLETED)
    stage.rest()


@scenario(
    6,
    "two-in-one-block-over",
    "Two deposits in one block, together too much",
    Ends(State.COMPLETED, Back.EXCESS),
)
def two_in_one_block_over(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.deposit(str(intent.terms.total_units // 2 + 1_000_000), count=2)
    stage.until(State.COMPLETED)
    stage.rest()


@scenario(7, "nothing", "Nothing is sent", Ends(State.EXPIRED))
def nothing(stage: Stage) -> None:
    stage.create_intent()
    stage.pass_expiry()
    stage.until(State.EXPIRED)
    stage.rest()


@scenario(
    8,
    "last-block",
    "A deposit in the last block before expiry, too late to start safely",
    Ends(State.REFUNDED, Back.ALL),
)
def last_block(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.pass_time(intent.terms.expires_at.timestamp() - stage.hand.seconds - 1.5)
    stage.deposit("exact")
    stage.until(State.REFUNDED)
    stage.rest()
    stage.check(len(stage.story().attempts) == 1, "nothing but the refund was signed")


@scenario(
    8,
    "last-minute",
    "A deposit in time and credited, but too late to start safely",
    Ends(State.REFUNDED, Back.ALL),
)
def last_minute(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.pass_time(intent.terms.expires_at.timestamp() - stage.hand.seconds - 40)
    stage.deposit("exact")
    stage.until(State.FUNDED)
    stage.check("too close" in stage.story().who_acts.lower(), "it says why it waits")
    stage.until(State.REFUNDED)
    stage.rest()
