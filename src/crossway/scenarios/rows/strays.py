"""Money that comes too late, again, of another kind, or elsewhere."""

from crossway.domain.intent import State
from crossway.domain.transfers import Duty, TransferState
from crossway.scenarios.scenario import Back, Ends, scenario
from crossway.scenarios.stage import ARBITRUM, BASE, OPTIMISM, Stage
from crossway.usecases.payments import processing

DUST = "9000"  # 0.009 USDC: less than the modelled fee on Base


@scenario(9, "after-expiry", "The exact amount after expiry", Ends(State.REFUNDED, Back.ALL))
def after_expiry(stage: Stage) -> None:
    stage.create_intent()
    stage.pass_expiry()
    stage.until(State.EXPIRED)
    stage.pass_time(300)
    stage.deposit("exact")
    stage.until(State.REFUNDED)
    stage.rest()


@scenario(10, "after-refund", "Again after the refund", Ends(State.REFUNDED, Back.ALL))
def after_refund(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit("short")
    stage.pass_expiry()
    stage.until(State.REFUNDED)
    stage.rest()
    stage.deposit("3000000")
    stage.rest()
    stage.deposit("2000000", count=3)
    stage.rest()


@scenario(
    11,
    "after-completion",
    "Again after the payment is completed",
    Ends(State.COMPLETED, Back.EXCESS),
)
def after_completion(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.deposit("exact")
    stage.until(State.COMPLETED)
    stage.rest()
    stage.deposit(str(intent.terms.total_units))
    stage.rest()
    extra = stage.story().deposits[-1]
    stage.check(extra.purpose is not None and extra.purpose == "EXTRA", "it is flagged as extra")


@scenario(
    11,
    "while-initiated",
    "Again while the payment is under way",
    Ends(State.COMPLETED, Back.EXCESS),
)
def while_initiated(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.fault(ARBITRUM, "blocks come slowly", slowBlocks=40)
    stage.deposit("exact")
    stage.until(State.INITIATED)
    stage.deposit(str(intent.terms.total_units), count=2)
    stage.deposit("4000000")
    stage.pass_time(20)
    stage.fault(ARBITRUM, "blocks come as usual", slowBlocks=0)
    stage.until(State.COMPLETED)
    stage.rest()


@scenario(
    11,
    "while-starting",
    "Again while the start is signed and not mined",
    Ends(State.COMPLETED, Back.EXCESS),
)
def while_starting(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.deposit("exact")
    stage.until(State.FUNDED)
    stage.deposit(str(intent.terms.total_units))
    stage.until(State.COMPLETED)
    stage.rest()


@scenario(12, "another-token", "Another token, given back by one click", Ends(State.PENDING))
def another_token(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.deposit("5000000", token="EURC")
    stage.pass_time(10)
    found = stage.story().deposits[0]
    stage.check(found.purpose == "FOREIGN", "it is shown at once as another token")
    stage.check(stage.now().received_units == 0, "it does not count as payment")
    stage.operate(
        "The shop gives it back by one click",
        lambda: processing.return_foreign(stage.services, stage.caller, found.id),
    )
    stage.rest()
    back = stage.holds(BASE, intent.terms.refund_address, "EURC")
    stage.check(back == 5_000_000, "all of it is back")


@scenario(
    12, "another-token-expired", "Another token, given back after expiry", Ends(State.EXPIRED)
)
def another_token_expired(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.deposit("5000000", token="EURC")
    stage.deposit("7000000", token="EURC")
    stage.pass_expiry()
    stage.rest()
    back = stage.holds(BASE, intent.terms.refund_address, "EURC")
    stage.check(back == 12_000_000, "all of it is back")


@scenario(13, "native-coin", "The native coin instead of the token", Ends(State.EXPIRED))
def native_coin(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.deposit(str(10**16), token="ETH")
    stage.pass_expiry()
    stage.rest()
    back = stage.holds(BASE, intent.terms.refund_address, "ETH")
    stage.check(back == 10**16, "all of it is back")


@scenario(
    14, "right-and-foreign-token", "Both the right and a foreign token", Ends(State.COMPLETED)
)
def right_and_foreign_token(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.deposit("5000000", token="EURC")
    stage.deposit("exact")
    stage.until(State.COMPLETED)
    stage.deposit("6000000", token="EURC", count=2)
    stage.rest()
    back = stage.holds(BASE, intent.terms.refund_address, "EURC")
    stage.check(back == 17_000_000, "the foreign token is back")


@scenario(
    15,
    "fee-on-transfer",
    "A token that takes a fee on transfer: the amount arrives short, and is topped up",
    Ends(State.COMPLETED),
)
def fee_on_transfer(stage: Stage) -> None:
    total = stage.create_intent().terms.total_units
    stage.deposit(str(total - total // 100))
    stage.pass_time(30)
    stage.check(stage.now().state is State.PENDING, "what arrived counts, not what was sent")
    stage.deposit("exact")
    stage.until(State.COMPLETED)
    stage.rest()


@scenario(
    16,
    "dust",
    "A transfer of nothing, and dust that is worth less than sending it back",
    Ends(State.EXPIRED, kept=True),
)
def dust(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit("0")
    stage.deposit(DUST)
    stage.pass_time(10)
    stage.check(stage.now().state is State.PENDING, "the payment is unchanged")
    stage.pass_expiry()
    stage.rest()
    notes = [deposit.note for deposit in stage.story().deposits]
    stage.check(all(notes), "each has its reason")


@scenario(
    16,
    "dust-then-more",
    "Dust that was kept goes back with money that comes later",
    Ends(State.REFUNDED, Back.ALL),
)
def dust_then_more(stage: Stage) -> None:
    stage.create_intent()
    stage.deposit(DUST)
    stage.pass_expiry()
    stage.rest()
    stage.deposit("2000000")
    stage.until(State.REFUNDED)
    stage.rest()


@scenario(
    17,
    "another-chain",
    "The right token to the same address on another chain of its family",
    Ends(State.PENDING),
    (BASE, ARBITRUM, OPTIMISM),
)
def another_chain(stage: Stage) -> None:
    intent = stage.create_intent()
    stage.deposit("25000000", token="USDC", chain=OPTIMISM)
    stage.operate(
        "An operator looks on the other chains",
        lambda: processing.look_elsewhere(stage.services, stage.operator, intent.id),
    )
    stage.pass_time(10)
    found = stage.story().deposits
    stage.check([d.purpose for d in found] == ["ELSEWHERE"], "it is found on Optimism")
    stage.operate(
        "and sends it back from there",
        lambda: processing.return_foreign(stage.services, stage.operator, found[0].id),
    )
    stage.rest()
    back = stage.holds(OPTIMISM, intent.terms.refund_address)
    stage.check(back == 25_000_000, "all of it is back, on Optimism")
    stage.check(
        all(t.state is TransferState.FINAL for t in stage.story().transfers
            if t.duty is Duty.RETURN_EXCESS),
        "it went out on Optimism",
    )  # fmt: skip
