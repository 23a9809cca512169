"""What a bridge's contract does with money that arrives, as in `BridgeBase`."""

from dataclasses import dataclass
from typing import Final

from crossway.adapters.chains.simulated.contracts.call_frame import (
    INVENTORY_SHORT,
    CallFrame,
    ContractReverted,
    revert,
)
from crossway.adapters.chains.simulated.contracts.events import BridgeEvent, EventKind
from crossway.domain.bridge_transfer import ArrivalOutcome as Outcome

UNPARK_SECONDS: Final = 30 * 86_400


@dataclass(frozen=True, slots=True)
class Payout:
    """What a payment's terms say of its destination."""

    intent_hash: str
    bridger: str
    token: str
    recipient: str
    amount: int


def arrive(
    frame: CallFrame, payout: Payout, got: int, can_park: bool, message_id: str = ""
) -> None:
    """Use what arrived for the recipient, or for whoever paid the recipient before."""
    payee, paid, outcome = frame.payee(), 0, Outcome.REPEATED
    if frame.has(EventKind.ARRIVED) or payee == payout.bridger:
        pass
    elif payee:
        outcome, paid = Outcome.REPAID, min(got, payout.amount)
        # Where it refuses, the contract owes it to them.
        frame.move(payout.bridger, payee, payout.token, paid)
    elif got >= payout.amount and pay_recipient(frame, payout):
        outcome, paid = Outcome.PAID, payout.amount
    elif can_park:
        outcome = Outcome.PARKED
    else:
        revert("TRANSFER_FAILED")
    credited = 0 if outcome is Outcome.PARKED else got - paid
    _report(frame, payout, outcome, got, paid, credited, message_id)


def pay_recipient(frame: CallFrame, payout: Payout) -> bool:
    """Pay the recipient through the filler from the contract; False where it is refused."""
    if not frame.move(payout.bridger, payout.recipient, payout.token, payout.amount):
        return False
    _fill(frame, payout, payout.bridger)
    return True


def fill(frame: CallFrame, payout: Payout) -> None:
    """Pay the recipient out of the caller's funds, who is repaid by what arrives."""
    if frame.has(EventKind.FILLED):
        revert("ALREADY_FILLED")
    if frame.accounts.units(frame.caller, payout.token) < payout.amount:
        raise ContractReverted(INVENTORY_SHORT)
    if not frame.move(frame.caller, payout.recipient, payout.token, payout.amount):
        revert("TRANSFER_FAILED")
    _fill(frame, payout, frame.caller)


def release(frame: CallFrame, payout: Payout) -> None:
    """Pay parked money to the recipient, or to whoever paid it since; the caller adds what is
    missing."""
    parked = frame.parked()
    if parked is None:
        revert("NOT_PARKED")
    got = parked.got
    if got < payout.amount:
        if not frame.move(frame.caller, payout.bridger, payout.token, payout.amount - got):
            revert("TRANSFER_FAILED")
        got = payout.amount
    payee = frame.payee()
    is_paid = (
        frame.move(payout.bridger, payee, payout.token, payout.amount)
        if payee
        else pay_recipient(frame, payout)
    )
    if not is_paid:
        revert("TRANSFER_FAILED")
    _report(frame, payout, Outcome.RELEASED, got, payout.amount, got - payout.amount)


def unpark(frame: CallFrame, payout: Payout) -> None:
    """Credit parked money that nobody could release to the coordinator."""
    parked = frame.parked()
    if not frame.is_agent:
        revert("NOT_AUTHORIZED")
    if parked is None:
        revert("NOT_PARKED")
    if frame.at - parked.at < UNPARK_SECONDS:
        revert("TOO_EARLY")
    _report(frame, payout, Outcome.UNPARKED, parked.got, 0, parked.got)


def _fill(frame: CallFrame, payout: Payout, payee: str) -> None:
    filled = BridgeEvent(
        payout.intent_hash, EventKind.FILLED, payout.bridger, frame.at, payee=payee
    )
    frame.events.append(filled)


def _report(
    frame: CallFrame,
    payout: Payout,
    outcome: Outcome,
    got: int,
    paid: int,
    credited: int,
    message_id: str = "",
) -> None:
    frame.events.append(
        BridgeEvent(
            payout.intent_hash,
            EventKind.ARRIVED,
            payout.bridger,
            frame.at,
            int(outcome),
            payout.token,
            got,
            paid,
            credited,
            message_id=message_id,
        )
    )
