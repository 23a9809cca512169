"""What happens to the service itself: two engines, impatient people, wrong clocks, old backups."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

from crossway.domain.errors import Refusal, Unreachable
from crossway.domain.intent import State
from crossway.domain.transfers import Duty
from crossway.scenarios.scenario import Back, Ends, scenario
from crossway.scenarios.stage import ARBITRUM, BASE, TESTNETS, Stage
from crossway.usecases.money.exposure import exposure
from crossway.usecases.network import switches
from crossway.usecases.payments import processing

TIMES = 10


def at_once(*acts: Callable[[], object]) -> list[object]:
    """Do things in as many threads, all let go at the same moment; refusals are answers."""
    gate = Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        gate.wait()
        try:
            return act()
        except (Refusal, Unreachable) as refusal:
            return refusal

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


@scenario(33, "two-engines", "Two engines at once on one database", Ends(State.COMPLETED))
def two_engines(stage: Stage) -> None:
    stage.create_intent()
    stage.create_intent()
    engines = [stage.new_engine("second", sole=True), stage.new_engine("third", sole=True)]
    stage.deposit("exact")
    stage.deposit("over", stage.made[1])
    for _ in range(25):
        stage.hand.seconds += 1
        at_once(*(engine.tick for engine in (*engines, stage.engine)))
    stage.until(State.COMPLETED, intent=stage.made[1])
    stage.rest()
    _signed_once(stage, Duty.START)
    _signed_once(stage, Duty.FILL)


def _signed_once(stage: Stage, duty: Duty) -> None:
    for intent in stage.made:
        story = stage.story(intent)
        of = {t.id for t in story.transfers if t.duty is duty}
        signed = [a for a in story.attempts if a.transfer_id in of]
        stage.check(len(of) == len(signed) == 1, f"{duty} of #{intent.id} was signed once")


@scenario(
    34, "trigger-races-engine", "Trigger-processing races the engine, ten times at once",
    Ends(State.COMPLETED),
)  # fmt: skip
def trigger_races_engine(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.deposit("exact")
    stage.hand.seconds += 5

    def trigger() -> None:
        processing.trigger(stage.services, stage.caller, intent.address)

    answers = at_once(*[trigger] * TIMES, stage.engine.tick)
    refused = [str(answer) for answer in answers if isinstance(answer, Exception)]
    stage.say(f"Ten people trigger it at the same moment; {len(refused)} are refused")
    stage.check(
        all("invalid status" in one or "not funded" in one for one in refused),
        f"whoever is refused is told why: {refused}",
    )
    stage.until(State.COMPLETED)
    stage.rest()
    _signed_once(stage, Duty.START)


@scenario(
    35, "refund-clicked-twice", "Refund clicked twice, and while the engine refunds",
    Ends(State.REFUNDED, Back.ALL),
)  # fmt: skip
def refund_clicked_twice(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.deposit("short")
    stage.fault(
        BASE, "the relayer has nothing to pay fees with", balances={"relayer": {"ETH": "0"}}
    )
    stage.pass_expiry()
    stage.until(State.EXPIRED)
    stage.fault(BASE, "it has again", balances={"relayer": {"ETH": str(10**18)}})

    def refund() -> str:
        return processing.refund(stage.services, stage.caller, intent.address)

    answers = at_once(*[refund] * 3)
    given = {answer for answer in answers if isinstance(answer, str)}
    stage.say(f"Three people ask for the refund at the same moment and get {len(given)} answer")
    stage.check(len(given) == 1, f"everybody gets the same transaction: {answers}")
    stage.until(State.REFUNDED)
    again = stage.operate("Somebody asks once more", refund)
    stage.check("already refunded" in again, "once it is done it is refused")
    stage.rest()
    _signed_once(stage, Duty.REFUND)


@scenario(
    36, "refund-refused", "The refund fails: the address refuses it",
    Ends(State.REFUNDED, Back.NOTHING),
)  # fmt: skip
def refund_refused(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.fault(BASE, "the refund address refuses every transfer",
                refuse=[intent.terms.refund_address])  # fmt: skip
    stage.deposit("short")
    stage.pass_expiry()
    stage.pass_time(60)
    stage.check(stage.now().state is State.EXPIRED, "it stays EXPIRED")
    who = stage.story().who_acts
    stage.check("operator" in who and "refuses" in who, f"it says what failed and why: {who}")
    elsewhere = stage.wallet(BASE, "elsewhere")
    stage.operate(
        "An operator gives another address",
        lambda: processing.redirect_refund(stage.services, stage.operator, intent.id, elsewhere),
    )
    stage.until(State.REFUNDED)
    stage.rest()
    held = stage.holds(BASE, elsewhere)
    stage.check(held == stage.now().received_units, "all of it is at the other address")
    with stage.services.store.read() as unit:
        audited = [what for _, _, what, _ in unit.network.audited(10)]
    stage.check("refund sent elsewhere" in audited, "it is audited")


@scenario(
    37, "price-moves", "The price of a volatile token falls between quote and deposit",
    Ends(State.COMPLETED),
)  # fmt: skip
def price_moves(stage: Stage) -> None:
    stage.create_intent(token_in=stage.token(BASE, "ETH"))
    stage.move_price("ETH", 80)
    _say_exposure(stage)
    stage.deposit("exact")
    stage.until(State.FUNDED)
    _say_exposure(stage)
    worst = exposure(stage.services, stage.operator)[0]
    stage.check(worst.committed, "the payment is paid for at its old terms")
    stage.check((worst.gain_micro_usd or 0) < -4_000_000, "the loss is shown")
    stage.until(State.COMPLETED)
    stage.rest()
    stage.check(not exposure(stage.services, stage.operator), "afterwards nothing is exposed")


def _say_exposure(stage: Stage) -> None:
    for one in exposure(stage.services, stage.operator):
        stage.say(f"For the operator: {one.sentence()}")


@scenario(
    38, "switched-off", "A route or a chain is disabled after creation", Ends(State.COMPLETED)
)
def switched_off(stage: Stage) -> None:
    stage.create_intent()
    stage.operate(
        "An operator switches Arbitrum off",
        lambda: switches.switch(
            stage.services, stage.operator, f"chain:{ARBITRUM}", True, "Maintenance"
        ),
    )
    refused = stage.operate("A shop asks for a new payment", stage.create_intent)
    stage.check(isinstance(refused, str), "new payments are refused")
    stage.deposit("exact")
    stage.until(State.COMPLETED)
    stage.rest()


@scenario(
    39, "testnet", "A test network, and nobody triggers: the deposit goes back",
    Ends(State.REFUNDED, Back.ALL), TESTNETS,
)  # fmt: skip
def testnet(stage: Stage) -> None:
    stage.create_intent(*TESTNETS)
    stage.deposit("exact")
    stage.pass_time(60)
    stage.check(not stage.story().deposits, "nobody looks by himself")
    stage.pass_expiry()
    stage.until(State.REFUNDED)
    stage.rest()


@scenario(
    39, "testnet-nothing", "A test network, and nothing is sent", Ends(State.EXPIRED), TESTNETS
)
def testnet_nothing(stage: Stage) -> None:
    stage.create_intent(*TESTNETS)
    stage.pass_expiry()
    stage.rest()


@scenario(
    39,
    "testnet-triggered",
    "A test network, and somebody triggers",
    Ends(State.COMPLETED),
    TESTNETS,
)
def testnet_triggered(stage: Stage) -> None:
    intent = stage.create_intent(*TESTNETS)
    stage.deposit("exact")
    stage.pass_time(5)
    stage.operate(
        "The shop triggers it",
        lambda: processing.trigger(stage.services, stage.caller, intent.address),
    )
    stage.until(State.COMPLETED)
    stage.rest()


@scenario(
    41, "clock-jumps-forward", "The machine's clock jumps an hour forward", Ends(State.COMPLETED)
)
def clock_jumps_forward(stage: Stage) -> None:
    _jump(stage, timedelta(hours=1.2))


@scenario(41, "clock-jumps-back", "The machine's clock jumps an hour back", Ends(State.COMPLETED))
def clock_jumps_back(stage: Stage) -> None:
    _jump(stage, timedelta(hours=-1))


def _jump(stage: Stage, by: timedelta) -> None:
    stage.create_intent()
    stage.deposit("short")
    stage.fault(ARBITRUM, "the relayer has nothing to pay out", balances={"relayer": {"USDC": "0"}})
    stage.pass_time(20)
    stage.jump_clock(by)
    stage.pass_time(20)
    stage.check(stage.now().state is State.PENDING, "nothing expires by the machine's clock")
    stage.jump_clock(-by)
    stage.deposit("exact")
    stage.until(State.FUNDED)
    stage.pass_time(10)
    stage.jump_clock(by)
    stage.pass_time(10)
    stage.check(stage.now().state is State.FUNDED, "nor does what waits to be started")
    stage.fault(ARBITRUM, "the relayer is filled up",
                balances={"relayer": {"USDC": "1000000000000"}})  # fmt: skip
    stage.until(State.COMPLETED)
    stage.jump_clock(-by)
    stage.rest()
