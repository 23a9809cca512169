"""Close intents that never started: cancel them early, or expire them; refund what they hold."""

from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound import (
    OutboundTxEvent,
    OutboundTxKind,
    OutboundTxState,
)
from crossway.ports.records import OutboundTxChange
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.dust import DUST_NOTE, is_dust
from crossway.usecases.payments.lifecycle import (
    IntentBatch,
)
from crossway.usecases.payments.returns import enqueue_deposit_returns

_IN_FLIGHT = (OutboundTxState.SIGNED, OutboundTxState.CONFIRMED, OutboundTxState.FINAL)


def cancel(unit: UnitOfWork, batch: IntentBatch, intent_id: int, reason: str) -> bool:
    """Cancel a pending intent before it expires; returns False when it is already funded or a start
    may still be included. The batch must hold the intent; the caller stores the batch.

    The refund is enqueued at once but is only valid after `expires_at`, because the contract at the
    deposit address rejects it earlier. Later deposits are refunded as well.
    """
    if batch.current[intent_id].state is not State.PENDING:
        return False
    # Locked, so that no start is signed concurrently.
    ids = [t.id for t in unit.outbound_txs.list_by_intents([intent_id], OutboundTxKind.START)]
    starts = list(unit.outbound_txs.lock(ids).values())
    if any(start.state in _IN_FLIGHT for start in starts):
        return False
    unsigned = [start for start in starts if start.state is OutboundTxState.DUE]
    changes = [
        OutboundTxChange.after_event(start, OutboundTxEvent.CANCEL, reason, batch.now)
        for start in unsigned
    ]
    unit.outbound_txs.update(changes, batch.now)
    events = (IntentEvent.CANCELLED_EMPTY, IntentEvent.CANCELLED_HOLDING)
    close(unit, batch, batch.current[intent_id], events, reason)
    enqueue_deposit_returns(unit, batch, [intent_id])
    return True


def close(
    unit: UnitOfWork,
    batch: IntentBatch,
    intent: Intent,
    events: tuple[IntentEvent, IntentEvent],
    note: str = "",
) -> None:
    """Apply the first event when the address holds nothing or only dust, else the second."""
    event_if_empty, event_if_holding = events
    terms = intent.terms
    if intent.balance_at_address <= 0:
        batch.apply_event(intent.id, event_if_empty, "expiry", note)
    elif is_dust(
        batch.services, intent, terms.token_in, terms.source_chain, intent.balance_at_address
    ):
        unit.deposits.set_note_of_payments(intent.id, DUST_NOTE)
        leg = (Account.DUST, Account.HELD, intent.balance_at_address)
        batch.add_postings(intent.id, terms.source_chain, terms.token_in, "dust", leg)
        batch.apply_event(
            intent.id, event_if_empty, "expiry", note or DUST_NOTE, balance_at_address=0
        )
    else:
        batch.apply_event(intent.id, event_if_holding, "expiry", note)
