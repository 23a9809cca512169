"""How an intent ends without a start: what it holds goes back, dust is kept."""

from crossway.domain.deposits import Purpose
from crossway.domain.intent import Event, Intent, State
from crossway.domain.ledger import Account
from crossway.domain.transfers import Duty, TransferEvent, TransferState, advance_transfer
from crossway.ports.records import TransferChange
from crossway.ports.store import Unit
from crossway.usecases.payments.lifecycle import KEPT, Step, is_dust, return_foreign

_UNDER_WAY = (TransferState.SIGNED, TransferState.CONFIRMED, TransferState.FINAL)


def withdraw(unit: Unit, step: Step, intent_id: int, why: str) -> bool:
    """End an intent before its time, as nobody shall pay it any more; False when it is paid
    already or a start may still land. The step must hold the intent; its caller stores it.

    What it holds is owed back at once and can only be sent after `expires_at`: the contract at the
    deposit address refuses it before. What comes in later goes back as well.
    """
    if step.current[intent_id].state is not State.PENDING:
        return False
    # Held, so that no start is signed while this is decided.
    starts = list(
        unit.transfers.lock([t.id for t in unit.transfers.of([intent_id], Duty.START)]).values()
    )
    if any(start.state in _UNDER_WAY for start in starts):
        return False
    due = [start for start in starts if start.state is TransferState.DUE]
    unit.transfers.change(
        [
            TransferChange(
                start.id, start.state, advance_transfer(start.state, TransferEvent.CANCEL),
                start.tries, why, step.now, None, None,
            )
            for start in due
        ],
        step.now,
    )  # fmt: skip
    end(unit, step, step.current[intent_id], (Event.WITHDRAWN_EMPTY, Event.WITHDRAWN_HOLDING), why)
    return_foreign(unit, step, [intent_id])
    return True


def end(
    unit: Unit, step: Step, intent: Intent, events: tuple[Event, Event], note: str = ""
) -> None:
    """Apply the first of the events when nothing is held, or only dust; else the second."""
    empty, holding = events
    terms = intent.terms
    if intent.held_units <= 0:
        step.move(intent.id, empty, "expiry", note)
    elif is_dust(step.services, intent, terms.token_in, terms.source_chain, intent.held_units):
        paid = [d.id for d in unit.deposits.of([intent.id]) if d.purpose is Purpose.PAYMENT]
        unit.deposits.note(paid, KEPT)
        leg = (Account.KEPT, Account.HELD, intent.held_units)
        step.post(intent, terms.source_chain, terms.token_in, "dust", leg)
        step.move(intent.id, empty, "expiry", note or KEPT, held_units=0)
    else:
        step.move(intent.id, holding, "expiry", note)
