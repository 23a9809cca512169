"""Collecting the deposit and paying the recipient, and all that can stand in the way."""

from crossway.domain.intent import State
from crossway.domain.transfers import Duty
from crossway.ports.records import Attempt
from crossway.scenarios.scenario import Back, Ends, scenario
from crossway.scenarios.stage import ARBITRUM, BASE, Stage

EMPTY = {"relayer": {"USDC": "0"}}
FULL = {"relayer": {"USDC": "1000000000000"}}
NO_GAS = {"relayer": {"ETH": "0"}}
GAS = {"relayer": {"ETH": "1000000000000000000"}}


@scenario(23, "start-reverts-once", "The start reverts once, then works", Ends(State.COMPLETED))
def start_reverts_once(stage: Stage) -> None:
    stage.create_intent()
    stage.fault(BASE, "the next transaction reverts", revertNext=1)
    stage.deposit("exact")
    stage.until(State.COMPLETED)
    stage.rest()


@scenario(
    24, "start-never", "The start can never succeed",
    Ends(State.REFUNDED, Back.ALL),
)  # fmt: skip
def start_never(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.fault(BASE, "the collecting account refuses every transfer", refuse=[intent.bridger])
    stage.deposit("exact")
    stage.until(State.FUNDED)
    stage.pass_time(120)
    stage.check(bool(stage.alarms()), "an alarm says that the start failed")
    stage.check("expires" in stage.story().who_acts, "it says when the money goes back")
    stage.pass_expiry()
    stage.until(State.REFUNDED)
    stage.rest()


@scenario(
    25, "inventory-short", "The relayer's inventory is short, then filled up",
    Ends(State.COMPLETED),
)  # fmt: skip
def inventory_short(stage: Stage) -> None:
    stage.create_intent()
    stage.fault(ARBITRUM, "the relayer has nothing to pay out", balances=EMPTY)
    stage.deposit("exact")
    stage.until(State.FUNDED)
    stage.pass_time(30)
    _waits(stage, "stock")
    stage.fault(ARBITRUM, "an operator fills the relayer up", balances=FULL)
    stage.until(State.COMPLETED)
    stage.rest()


@scenario(
    25, "inventory-stays-short", "The relayer's inventory stays short to the safe margin",
    Ends(State.REFUNDED, Back.ALL),
)  # fmt: skip
def inventory_stays_short(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.fault(ARBITRUM, "the relayer has nothing to pay out", balances=EMPTY)
    stage.deposit("exact")
    stage.pass_time(30)
    _waits(stage, "stock")
    stage.pass_time(intent.terms.expires_at.timestamp() - stage.hand.seconds - 50)
    stage.fault(ARBITRUM, "an operator fills the relayer up, too late", balances=FULL)
    stage.until(State.REFUNDED)
    stage.rest()


@scenario(
    26, "no-gas-source", "The relayer is without gas where it collects", Ends(State.COMPLETED)
)
def no_gas_source(stage: Stage) -> None:
    _without_gas(stage, BASE)


@scenario(
    26, "no-gas-destination", "The relayer is without gas where it pays out", Ends(State.COMPLETED)
)
def no_gas_destination(stage: Stage) -> None:
    _without_gas(stage, ARBITRUM)


def _without_gas(stage: Stage, chain: str) -> None:
    stage.create_intent()
    stage.fault(chain, "the relayer has nothing to pay fees with", balances=NO_GAS)
    stage.deposit("exact")
    stage.until(State.FUNDED)
    stage.pass_time(30)
    _waits(stage, "gas")
    stage.fault(chain, "an operator sends the relayer coins for fees", balances=GAS)
    stage.until(State.COMPLETED)
    stage.rest()


def _waits(stage: Stage, kind: str) -> None:
    stage.check(stage.now().state is State.FUNDED, "it waits, not started")
    stage.check(kind in {alarm.kind for alarm in stage.alarms()}, f"an alarm of kind {kind} stands")


@scenario(
    26, "no-gas-at-all", "The relayer stays without gas to the safe margin, and the refund waits",
    Ends(State.REFUNDED, Back.ALL),
)  # fmt: skip
def no_gas_at_all(stage: Stage) -> None:
    stage.create_intent()
    stage.fault(BASE, "the relayer has nothing to pay fees with", balances=NO_GAS)
    stage.deposit("exact")
    stage.pass_expiry()
    stage.until(State.EXPIRED)
    stage.pass_time(30)
    stage.fault(BASE, "an operator sends the relayer coins for fees", balances=GAS)
    stage.until(State.REFUNDED)
    stage.rest()


@scenario(
    27, "fill-refused", "The fill reverts for good: the token refuses the recipient",
    Ends(State.REFUNDED, Back.ALL),
)  # fmt: skip
def fill_refused(stage: Stage) -> None:
    intent = stage.create_intent()
    refused = [intent.terms.recipient]
    stage.fault(ARBITRUM, "the token refuses the recipient", refuse=refused)
    stage.deposit("exact")
    stage.until(State.FAILED)
    stage.until(State.REFUNDED)
    stage.rest()


@scenario(
    27, "fill-refused-then-reorged",
    "The refused fill is reorganised back to life after the refund: it must not land",
    Ends(State.REFUNDED, Back.ALL),
)  # fmt: skip
def fill_refused_then_reorged(stage: Stage) -> None:
    intent = stage.create_intent()
    refused = [intent.terms.recipient]
    stage.fault(ARBITRUM, "the token refuses the recipient", refuse=refused)
    stage.deposit("exact")
    stage.until(State.FAILED, State.REFUNDED)
    stage.fault(ARBITRUM, "the token accepts the recipient, and seven blocks are replaced",
                accept=refused, reorgDepth=7)  # fmt: skip
    stage.until(State.REFUNDED)
    stage.rest()


@scenario(
    28, "killed-after-sending", "The fill is sent and the process is killed before the answer",
    Ends(State.COMPLETED),
)  # fmt: skip
def killed_after_sending(stage: Stage) -> None:
    _killed(stage, "sent:FILL")


@scenario(
    29, "killed-before-sending", "Killed between storing the signed bytes and broadcasting",
    Ends(State.COMPLETED),
)  # fmt: skip
def killed_before_sending(stage: Stage) -> None:
    _killed(stage, "signed:FILL")


def _killed(stage: Stage, step: str) -> None:
    stage.create_intent()
    stage.kill_at(step)
    stage.deposit("exact")
    stage.until(State.COMPLETED)
    stage.rest()
    stage.check(len(_attempts(stage, Duty.FILL)) == 1, "it was signed once")


@scenario(
    30, "stuck-fee", "The fill is stuck at too low a fee", Ends(State.COMPLETED)
)  # fmt: skip
def stuck_fee(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit("exact")
    stage.until(State.FUNDED)
    stage.kill_at("signed:FILL")
    stage.until(State.INITIATED)
    stage.fault(ARBITRUM, "fees are three times what they were", feeFactor=3)
    stage.until(State.COMPLETED, within=200)
    stage.rest()
    nonces = {attempt.signed.nonce for attempt in _attempts(stage, Duty.FILL)}
    stage.check(len(_attempts(stage, Duty.FILL)) >= 2, "more was offered for it")
    stage.check(len(nonces) == 1, "with the same nonce")


@scenario(
    31, "nonce-taken", "The fill is dropped and its nonce used by another transaction",
    Ends(State.COMPLETED, unknown=1),
)  # fmt: skip
def nonce_taken(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit("exact")
    stage.kill_at("signed:FILL")
    stage.until(State.INITIATED)
    stage.fault(ARBITRUM, "somebody else uses the relayer's next nonce", takeNonce=True)
    stage.until(State.COMPLETED)
    stage.rest()
    stage.check(len(_attempts(stage, Duty.FILL)) == 2, "it was signed anew with another nonce")


@scenario(40, "claim-late", "The bridge repays the relayer late", Ends(State.COMPLETED))
def claim_late(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.fault(BASE, "the bridge cannot pay the relayer", refuse=[intent_relayer(stage)])
    stage.deposit("exact")
    stage.until(State.COMPLETED)
    stage.pass_time(60)
    stage.check(not stage.now().relayer_claimed, "the claim is open")
    stage.check("owes the relayer" in stage.story().who_acts, "it says who owes whom")
    stage.pass_time(4_000)
    stage.check("claim" in {a.kind for a in stage.alarms()}, "past its time there is an alarm")
    stage.fault(BASE, "the bridge can pay again", accept=[intent_relayer(stage)])
    stage.pass_time(320)
    stage.rest()
    stage.check(stage.now().relayer_claimed, "the claim is paid")
    stage.check(intent.id == stage.now().id, "it is the same payment")


def intent_relayer(stage: Stage) -> str:
    """The relayer's own address where it collects."""
    return stage.services.chains[BASE].own.relayer


def _attempts(stage: Stage, duty: Duty) -> list[Attempt]:
    story = stage.story()
    of = {t.id for t in story.transfers if t.duty is duty}
    return [attempt for attempt in story.attempts if attempt.transfer_id in of]
