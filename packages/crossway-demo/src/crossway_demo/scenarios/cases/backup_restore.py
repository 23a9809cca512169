"""A database restored from a backup while the chains kept everything that happened since."""

from crossway.domain.intent import State
from crossway.usecases.money.reconciliation import reconcile
from crossway_demo.scenarios.scenario import ExpectedOutcome, ReturnedFunds, scenario
from crossway_demo.scenarios.scenario_world import ARBITRUM, ScenarioWorld


@scenario(
    42,
    "restored",
    "The database is restored from an hour-old backup",
    ExpectedOutcome(
        State.COMPLETED, ReturnedFunds.EXCESS, alerts=frozenset({"outside"}), unbooked_txs=3
    ),
)
def restored(world: ScenarioWorld) -> None:
    world.create_intent()
    world.back_up()
    world.deposit("over")
    world.wait_for(State.COMPLETED)
    world.settle()
    world.restore()
    world.require(world.reload().state is State.PENDING, "the books know nothing of it")
    world.wait_for(State.COMPLETED)
    world.settle()
    reconciliation = reconcile(world.services, world.operator)
    for line in reconciliation.sentences():
        world.narrate(f"For the operator: {line}")


@scenario(
    42,
    "restored-past-expiry",
    "Restored so late that the payment seems to have expired, though it was completed",
    ExpectedOutcome(State.COMPLETED, alerts=frozenset({"outside"}), unbooked_txs=3),
)
def restored_past_expiry(world: ScenarioWorld) -> None:
    world.create_intent()
    world.back_up()
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.pass_expiry()
    world.restore()
    world.settle()


@scenario(
    42,
    "restored-after-refund",
    "Restored to before a refund that was paid",
    ExpectedOutcome(
        State.REFUNDED, ReturnedFunds.ALL, alerts=frozenset({"outside"}), unbooked_txs=1
    ),
)
def restored_after_refund(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("short")
    world.pass_time(60)
    world.back_up()
    world.pass_expiry()
    world.wait_for(State.REFUNDED)
    world.settle()
    world.restore()
    world.wait_for(State.REFUNDED)
    world.settle()


@scenario(
    42,
    "restored-after-failure",
    "Restored to before a fill that was refused and refunded; now the recipient would accept it",
    ExpectedOutcome(
        State.REFUNDED, ReturnedFunds.LESS_COSTS, alerts=frozenset({"outside"}), unbooked_txs=2
    ),
)
def restored_after_failure(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    refused = [intent.terms.recipient]
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    world.fault(ARBITRUM, "the token refuses the recipient", refuse=refused)
    world.kill_at("confirmed:START")
    world.wait_for(State.INITIATED)
    world.back_up()
    world.wait_for(State.REFUNDED)
    world.settle()
    world.fault(ARBITRUM, "the token accepts the recipient again", accept=refused)
    world.restore()
    world.wait_for(State.REFUNDED)
    world.settle()


@scenario(
    42,
    "restored-before-creation",
    "Restored to before the payment was created",
    ExpectedOutcome(State.COMPLETED, alerts=frozenset({"outside"}), unbooked_txs=3, differences=1),
)
def restored_before_creation(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.settle()
    world.back_up()
    lost = world.create_intent()
    world.deposit("exact", lost)
    world.wait_for(State.COMPLETED, intent=lost)
    world.settle()
    world.restore()
    world.forget(lost)
    world.pass_time(30)
    text = " ".join(reconcile(world.services, world.operator).sentences())
    world.require(lost.address in text, "the collecting from the lost payment's address is listed")
    world.require(lost.terms.recipient in text, "so is the payment to its recipient")
    third = world.create_intent()
    world.deposit("exact", third)
    world.wait_for(State.COMPLETED, intent=third)
    world.settle()
