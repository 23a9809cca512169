"""What a reorganisation undoes of a payment over a bridge, and of its transfer."""

from collections.abc import Sequence
from typing import Final

from crossway.domain.bridge_transfer import BridgeTransferEvent, BridgeTransferState
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.ledger import Account, Posting
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import IntentBatch

K, S, Event = OutboundTxKind, BridgeTransferState, BridgeTransferEvent
_REPEATABLE: Final = (S.SEEN, S.DELAYED, S.OVERDUE)
# By kind and state, the event where the transaction that is gone had ended the payment.
_REVERSALS: Final = {
    (K.FILL, State.COMPLETED): IntentEvent.PREFILL_REVERSED,
    (K.DELIVER, State.COMPLETED): IntentEvent.DELIVERY_REVERSED,
    (K.DELIVER, State.FAILED): IntentEvent.PARKING_REVERSED,
    (K.RELEASE, State.COMPLETED): IntentEvent.RELEASE_REVERSED,
    (K.GIVE_BACK, State.REFUNDED): IntentEvent.RETURN_REVERSED,
}


def reversal_over_bridge(intent: Intent, tx: OutboundTx) -> IntentEvent | None:
    """The event of a payment one of whose transactions is gone; None where that is as for others.
    Where another one had ended it before, such as a payout in advance, only the ledger changes."""
    event = _REVERSALS.get((tx.kind, intent.state))
    if event is None or event is IntentEvent.PARKING_REVERSED or intent.tx_hash == tx.tx_id:
        return event
    return IntentEvent.LEDGER_ONLY


def reverse_over_bridge(
    unit: UnitOfWork,
    batch: IntentBatch,
    intent: Intent,
    tx: OutboundTx,
    reversed_postings: Sequence[Posting],
) -> None:
    """Take back the state of the transfer; `intent` is the payment afterwards, and
    `reversed_postings` are those that the transaction had made."""
    transfer = batch.transfers.find(unit, intent.id)
    if transfer is None:
        return
    state, gone = transfer.state, tx.tx_id or ""
    match tx.kind:
        case K.START if intent.state is not State.INITIATED and state in _REPEATABLE:
            batch.transfers.apply(
                unit,
                intent.id,
                Event.SEND_REVERSED,
                gone,
                source_tx="",
                sent_at=None,
                expected_at=None,
                sent_message=b"",
            )
            if _came_from_escrow(reversed_postings):
                # It was sent from the bridge's contract, where the books have it again.
                batch.transfers.apply(unit, intent.id, Event.COLLECT)
        case K.DELIVER if state in (S.DELIVERED, S.PARKED):
            # Without a message of ours, somebody else had delivered it.
            event = Event.ARRIVAL_REVERSED if transfer.message else Event.ARRIVAL_LOST
            batch.transfers.apply(unit, intent.id, event, gone, destination_tx="")
        case K.RELEASE if state in (S.DELIVERED, S.UNCLAIMED):
            batch.transfers.apply(unit, intent.id, Event.RELEASE_REVERSED, gone)
        case K.REFUND | K.GIVE_BACK if state is S.REFUNDED:
            batch.transfers.apply(unit, intent.id, Event.REFUND_REVERSED, gone)


def _came_from_escrow(postings: Sequence[Posting]) -> bool:
    """Whether they took money out of the bridge's contract, also after earlier reversals."""
    taken = sum(p.amount for p in postings if p.credit is Account.ESCROW)
    return taken > sum(p.amount for p in postings if p.debit is Account.ESCROW)
