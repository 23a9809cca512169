"""What happens to a payment and the ledger when its deposit goes into a bridge, or comes back."""

from datetime import datetime, timedelta
from typing import Final

from crossway.domain.bridge_transfer import BridgeTransferEvent, BridgeTransferState
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.ledger import Account
from crossway.engine.bridge_prefills import enqueue_prefill
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import IntentBatch

S, Event = BridgeTransferState, BridgeTransferEvent
_BEFORE_SEND: Final = (State.FUNDED, State.PENDING, State.EXPIRED)
_UNSENT: Final = (S.PLANNED, S.COLLECTED, S.GIVING_BACK, S.REFUNDING)
_COLLECTED: Final = (S.COLLECTED, S.GIVING_BACK)


def apply_send(
    unit: UnitOfWork, batch: IntentBatch, intent: Intent, tx_id: str, at: datetime, remaining: int
) -> None:
    """Book that the deposit is on its way through the bridge, by a transaction of anybody.
    `remaining` is what the books have at the deposit address before that."""
    before = batch.transfers.get(unit, intent.id)
    held = Account.ESCROW if before.state in _COLLECTED else Account.HELD
    terms = intent.terms
    leg = (Account.IN_TRANSIT, held, terms.deposit_amount)
    batch.add_postings(intent, terms.source_chain, terms.token_in, tx_id, leg)
    if held is Account.HELD:
        remaining -= terms.deposit_amount
    is_first = intent.state in _BEFORE_SEND
    batch.apply_event(
        intent.id,
        IntentEvent.SENT if is_first else IntentEvent.LEDGER_ONLY,
        "start",
        tx_id,
        tx_hash=tx_id if is_first else intent.tx_hash,
        balance_at_address=remaining,
        needs_relay=intent.needs_relay or is_first,
    )
    if before.state not in _UNSENT:
        return  # It was attested before a reorg removed it, and is sent once more.
    client = batch.services.bridge_clients[terms.bridge]
    expected_at = at + timedelta(seconds=client.usual_seconds(intent))
    batch.transfers.apply(
        unit,
        intent.id,
        Event.SEND,
        tx_id,
        source_tx=tx_id,
        sent_at=at,
        expected_at=expected_at,
        next_at=batch.now,
        ask_at=batch.now,
        poll_count=0,
        reason="",
    )
    enqueue_prefill(batch, intent)


def apply_give_back(
    unit: UnitOfWork, batch: IntentBatch, intent: Intent, tx_id: str, remaining: int
) -> None:
    """The deposit is at its address again, or, where the refund address took it, refunded."""
    transfer = batch.transfers.get(unit, intent.id)
    if transfer.state is S.GIVING_BACK:
        batch.transfers.apply(unit, intent.id, Event.END_UNSENT, tx_id)
    is_refunded = remaining <= 0 and intent.state is State.EXPIRED
    if is_refunded:
        end_unsent(unit, batch, intent, tx_id)
    batch.apply_event(
        intent.id,
        IntentEvent.RETURNED if is_refunded else IntentEvent.LEDGER_ONLY,
        "refund" if is_refunded else "give_back",
        tx_id,
        tx_hash=tx_id if is_refunded else intent.tx_hash,
        balance_at_address=remaining,
    )


def end_unsent(unit: UnitOfWork, batch: IntentBatch, intent: Intent, tx_id: str) -> None:
    """The deposit of a payment that was not carried went back to the payer."""
    transfer = batch.transfers.find(unit, intent.id)
    if transfer is None:
        return
    if transfer.state in (S.PLANNED, S.GIVING_BACK, S.EXPIRED):
        transfer = batch.transfers.apply(unit, intent.id, Event.END_UNSENT, tx_id)
    if transfer.state is S.REFUNDING:
        batch.transfers.apply(unit, intent.id, Event.REFUND, tx_id)
