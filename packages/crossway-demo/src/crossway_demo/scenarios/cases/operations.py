"""The service itself: two engines, concurrent requests, price moves, switches and wrong clocks."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

from crossway.domain.errors import DomainError, Unreachable
from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxKind
from crossway.usecases.chains import kill_switches
from crossway.usecases.money import address_book
from crossway.usecases.payments import manual_operations, manual_refunds
from crossway_demo.scenarios.scenario import ExpectedOutcome, ReturnedFunds, scenario
from crossway_demo.scenarios.scenario_world import ARBITRUM, BASE, TESTNETS, ScenarioWorld

TIMES = 10


def run_concurrently(*acts: Callable[[], object]) -> list[object]:
    """Run actions in threads that start at the same moment; returns results and refusals."""
    gate = Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        gate.wait()
        try:
            return act()
        except (DomainError, Unreachable) as refusal:
            return refusal

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


@scenario(
    33, "two-engines", "Two engines at once on one database", ExpectedOutcome(State.COMPLETED)
)
def two_engines(world: ScenarioWorld) -> None:
    world.create_intent()
    world.create_intent()
    engines = [world.new_engine("second", sole=True), world.new_engine("third", sole=True)]
    world.deposit("exact")
    world.deposit("over", world.intents[1])
    for _ in range(25):
        world.manual_clock.seconds += 1
        run_concurrently(*(engine.tick for engine in (*engines, world.engine)))
    world.wait_for(State.COMPLETED, intent=world.intents[1])
    world.settle()
    _signed_once(world, OutboundTxKind.START)
    _signed_once(world, OutboundTxKind.FILL)


def _signed_once(world: ScenarioWorld, duty: OutboundTxKind) -> None:
    for intent in world.intents:
        story = world.timeline(intent)
        of = {t.id for t in story.outbound_txs if t.kind is duty}
        signed = [a for a in story.attempts if a.outbound_tx_id in of]
        world.require(len(of) == len(signed) == 1, f"{duty} of #{intent.id} was signed once")


@scenario(
    34,
    "trigger-races-engine",
    "Trigger-processing races the engine, ten times at once",
    ExpectedOutcome(State.COMPLETED),
)
def trigger_races_engine(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit("exact")
    world.manual_clock.seconds += 5

    def trigger() -> None:
        manual_operations.trigger(world.services, world.caller, intent.address)

    answers = run_concurrently(*[trigger] * TIMES, world.engine.tick)
    refused = [str(answer) for answer in answers if isinstance(answer, Exception)]
    world.narrate(f"Ten people trigger it at the same moment; {len(refused)} are refused")
    world.require(
        all("invalid status" in message or "not funded" in message for message in refused),
        f"whoever is refused is told why: {refused}",
    )
    world.wait_for(State.COMPLETED)
    world.settle()
    _signed_once(world, OutboundTxKind.START)


@scenario(
    35,
    "refund-clicked-twice",
    "Refund clicked twice, and while the engine refunds",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def refund_clicked_twice(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit("short")
    world.fault(
        BASE, "the relayer has nothing to pay fees with", balances={"relayer": {"ETH": "0"}}
    )
    world.pass_expiry()
    world.wait_for(State.EXPIRED)
    world.fault(BASE, "it has again", balances={"relayer": {"ETH": str(10**18)}})

    def refund() -> str:
        return manual_refunds.refund(world.services, world.caller, intent.address)

    answers = run_concurrently(*[refund] * 3)
    created = {answer for answer in answers if isinstance(answer, str)}
    world.narrate(
        f"Three people ask for the refund at the same moment and get {len(created)} answer"
    )
    world.require(len(created) == 1, f"everybody gets the same transaction: {answers}")
    world.wait_for(State.REFUNDED)
    again = world.try_action("Somebody asks once more", refund)
    world.require("already refunded" in again, "once it is done it is refused")
    world.settle()
    _signed_once(world, OutboundTxKind.REFUND)


@scenario(
    36,
    "refund-refused",
    "The refund fails: the address refuses it",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.NOTHING),
)
def refund_refused(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.fault(
        BASE, "the refund address refuses every transfer", refuse=[intent.terms.refund_address]
    )
    world.deposit("short")
    world.pass_expiry()
    world.pass_time(60)
    world.require(world.reload().state is State.EXPIRED, "it stays EXPIRED")
    next_action = world.timeline().next_action
    world.require(
        "Operator" in next_action and "refuses" in next_action,
        f"it says what failed and why: {next_action}",
    )
    elsewhere = world.wallet(BASE, "elsewhere")
    world.try_action(
        "A treasurer adds another address to the address book",
        lambda: address_book.add_address(
            world.services, world.operator, BASE, elsewhere, "The payer's other wallet"
        ),
    )
    world.try_action(
        "They send the refund there",
        lambda: manual_operations.redirect_refund(
            world.services, world.operator, intent.id, elsewhere
        ),
    )
    world.wait_for(State.REFUNDED)
    world.settle()
    balance = world.balance_of(BASE, elsewhere)
    world.require(balance == world.reload().received_amount, "all of it is at the other address")
    with world.services.store.read() as unit:
        audited = [action for _, _, action, _ in unit.audit_log.list_recent(10)]
    world.require("refund redirected" in audited, "it is audited")


@scenario(
    38,
    "switched-off",
    "A route or a chain is disabled after creation",
    ExpectedOutcome(State.COMPLETED),
)
def switched_off(world: ScenarioWorld) -> None:
    world.create_intent()
    world.try_action(
        "An operator disables Arbitrum",
        lambda: kill_switches.set_kill_switch(
            world.services, world.operator, f"chain:{ARBITRUM}", True, "Maintenance"
        ),
    )
    refused = world.try_action("A shop asks for a new payment", world.create_intent)
    world.require(isinstance(refused, str), "new payments are refused")
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    39,
    "testnet",
    "A test network, and nobody triggers: the deposit goes back",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
    TESTNETS,
)
def testnet(world: ScenarioWorld) -> None:
    world.create_intent(*TESTNETS)
    world.deposit("exact")
    world.pass_time(60)
    world.require(not world.timeline().deposits, "nobody looks by himself")
    world.pass_expiry()
    world.wait_for(State.REFUNDED)
    world.settle()


@scenario(
    39,
    "testnet-nothing",
    "A test network, and nothing is sent",
    ExpectedOutcome(State.EXPIRED),
    TESTNETS,
)
def testnet_nothing(world: ScenarioWorld) -> None:
    world.create_intent(*TESTNETS)
    world.pass_expiry()
    world.settle()


@scenario(
    39,
    "testnet-triggered",
    "A test network, and somebody triggers",
    ExpectedOutcome(State.COMPLETED),
    TESTNETS,
)
def testnet_triggered(world: ScenarioWorld) -> None:
    intent = world.create_intent(*TESTNETS)
    world.deposit("exact")
    world.pass_time(5)
    world.try_action(
        "The shop triggers it",
        lambda: manual_operations.trigger(world.services, world.caller, intent.address),
    )
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    41,
    "clock-jumps-forward",
    "The machine's clock jumps an hour forward",
    ExpectedOutcome(State.COMPLETED),
)
def clock_jumps_forward(world: ScenarioWorld) -> None:
    _jump(world, timedelta(hours=1.2))


@scenario(
    41,
    "clock-jumps-back",
    "The machine's clock jumps an hour back",
    ExpectedOutcome(State.COMPLETED),
)
def clock_jumps_back(world: ScenarioWorld) -> None:
    _jump(world, timedelta(hours=-1))


def _jump(world: ScenarioWorld, by: timedelta) -> None:
    world.create_intent()
    world.deposit("short")
    world.fault(ARBITRUM, "the relayer has nothing to pay out", balances={"relayer": {"USDC": "0"}})
    world.pass_time(20)
    world.jump_clock(by)
    world.pass_time(20)
    world.require(world.reload().state is State.PENDING, "nothing expires by the machine's clock")
    world.jump_clock(-by)
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    world.pass_time(10)
    world.jump_clock(by)
    world.pass_time(10)
    world.require(world.reload().state is State.FUNDED, "nor does what waits to be started")
    world.fault(
        ARBITRUM, "the relayer is filled up", balances={"relayer": {"USDC": "1000000000000"}}
    )
    world.wait_for(State.COMPLETED)
    world.jump_clock(-by)
    world.settle()
