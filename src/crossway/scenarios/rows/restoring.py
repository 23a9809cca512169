"""A database restored from a backup, while the chains kept what was done since."""

from crossway.domain.intent import State
from crossway.scenarios.scenario import Back, Ends, scenario
from crossway.scenarios.stage import ARBITRUM, Stage
from crossway.usecases.money.reconciliation import reconcile


@scenario(
    42, "restored", "The database is restored from an hour-old backup",
    Ends(State.COMPLETED, Back.EXCESS, alarms=frozenset({"outside"}), unknown=3),
)  # fmt: skip
def restored(stage: Stage) -> None:
    stage.create_intent()
    stage.back_up()
    stage.deposit("over")
    stage.until(State.COMPLETED)
    stage.rest()
    stage.restore()
    stage.check(stage.now().state is State.PENDING, "the books know nothing of it")
    stage.until(State.COMPLETED)
    stage.rest()
    found = reconcile(stage.services, stage.operator)
    for line in found.sentences():
        stage.say(f"For the operator: {line}")


@scenario(
    42, "restored-past-expiry",
    "Restored so late that the payment seems to have expired, though it was completed",
    Ends(State.COMPLETED, alarms=frozenset({"outside"}), unknown=3),
)  # fmt: skip
def restored_past_expiry(stage: Stage) -> None:
    stage.create_intent()
    stage.back_up()
    stage.deposit("exact")
    stage.until(State.COMPLETED)
    stage.pass_expiry()
    stage.restore()
    stage.rest()


@scenario(
    42, "restored-after-refund", "Restored to before a refund that was paid",
    Ends(State.REFUNDED, Back.ALL, alarms=frozenset({"outside"}), unknown=1),
)  # fmt: skip
def restored_after_refund(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit("short")
    stage.pass_time(60)
    stage.back_up()
    stage.pass_expiry()
    stage.until(State.REFUNDED)
    stage.rest()
    stage.restore()
    stage.until(State.REFUNDED)
    stage.rest()


@scenario(
    42, "restored-after-failure",
    "Restored to before a fill that was refused and refunded; now the recipient would accept it",
    Ends(State.REFUNDED, Back.ALL, alarms=frozenset({"outside"}), unknown=3),
)  # fmt: skip
def restored_after_failure(stage: Stage) -> None:
    intent = stage.create_intent()
    refused = [intent.terms.recipient]
    stage.fault(ARBITRUM, "the token refuses the recipient", refuse=refused)
    stage.deposit("exact")
    stage.kill_at("confirmed:START")
    stage.until(State.INITIATED)
    stage.back_up()
    stage.until(State.REFUNDED)
    stage.rest()
    stage.fault(ARBITRUM, "the token accepts the recipient again", accept=refused)
    stage.restore()
    stage.until(State.REFUNDED)
    stage.rest()


@scenario(
    42, "restored-before-creation", "Restored to before the payment was created",
    Ends(State.COMPLETED, alarms=frozenset({"outside"}), unknown=3, differences=1),
)  # fmt: skip
def restored_before_creation(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit("exact")
    stage.until(State.COMPLETED)
    stage.rest()
    stage.back_up()
    lost = stage.create_intent()
    stage.deposit("exact", lost)
    stage.until(State.COMPLETED, intent=lost)
    stage.rest()
    stage.restore()
    stage.forget(lost)
    stage.pass_time(30)
    text = " ".join(reconcile(stage.services, stage.operator).sentences())
    stage.check(lost.address in text, "the collecting from the lost payment's address is listed")
    stage.check(lost.terms.recipient in text, "so is the payment to its recipient")
    third = stage.create_intent()
    stage.deposit("exact", third)
    stage.until(State.COMPLETED, intent=third)
    stage.rest()
