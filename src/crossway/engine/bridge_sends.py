"""What happens to a payment and the ledger when its deposit goes into a bridge, or comes back."""

from datetime import datetime, timedelta
from typing import Final

from crossway.domain.bridge_transfer import BridgeTransferEvent, BridgeTransferState
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.ledger import Account, Leg
from crossway.engine.bridge_prefills import enqueue_prefill
from crossway.ports.chain import IncludedTx
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import IntentBatch

S, Event = BridgeTransferState, BridgeTransferEvent
_BEFORE_SEND: Final = (State.FUNDED, State.PENDING, State.EXPIRED)
_UNSENT: Final = (S.PLANNED, S.COLLECTED, S.GIVING_BACK, S.REFUNDING)
_COLLECTED: Final = (S.COLLECTED, S.GIVING_BACK)


def apply_send(
    unit: UnitOfWork,
    batch: IntentBatch,
    intent: Intent,
    tx_id: str,
    included: IncludedTx,
    remaining: int,
) -> None:
    """Book that the deposit is on its way through the bridge, by a transaction of anybody.
    `remaining` is what the books have at the deposit address before that."""
    before = batch.transfers.get(unit, intent.id)
    held = Account.ESCROW if before.state in _COLLECTED else Account.HELD
    terms = intent.terms
    _book_send(batch, intent, tx_id, held, included)
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
    _follow(unit, batch, intent, tx_id, included.at)
    enqueue_prefill(batch, intent)


def _follow(unit: UnitOfWork, batch: IntentBatch, intent: Intent, tx_id: str, at: datetime) -> None:
    """From now on the bridge is asked what has become of it."""
    client = batch.services.bridge_clients[intent.terms.bridge]
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


def _book_send(
    batch: IntentBatch, intent: Intent, tx_id: str, held: Account, included: IncludedTx
) -> None:
    """The deposit goes into the bridge, or what it was swapped for, and the rest to the payer."""
    chain, deposit, sent = intent.terms.source_chain, intent.terms.token_in, intent.collected
    if intent.swap is None:
        leg = (Account.IN_TRANSIT, held, sent.amount)
        batch.add_postings(intent.id, chain, deposit, tx_id, leg)
        return
    spent = included.swapped[intent.intent_hash]
    legs: list[Leg] = [(Account.EXCHANGED, held, spent)]
    if rest := intent.terms.deposit_amount - spent:
        legs.append((Account.PAYER, held, rest))
    batch.add_postings(intent.id, chain, deposit, tx_id, *legs)
    leg = (Account.IN_TRANSIT, Account.EXCHANGED, sent.amount)
    batch.add_postings(intent.id, chain, sent.token, tx_id, leg)


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
