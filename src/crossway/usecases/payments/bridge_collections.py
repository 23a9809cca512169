"""Deposits that somebody else's start put into a bridge's contract: booked, and taken back."""

from typing import Final

from crossway.domain.bridge_transfer import BridgeTransferEvent, BridgeTransferState, Custody
from crossway.domain.errors import InvalidStatus
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.ledger import Account, Leg
from crossway.domain.outbound import (
    OutboundTxEvent,
    OutboundTxKind,
    OutboundTxState,
)
from crossway.ports.records import NewOutboundTx, OutboundTxChange
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import IntentBatch
from crossway.usecases.payments.returns import enqueue_deposit_returns

S, Event = BridgeTransferState, BridgeTransferEvent

_NEVER_SENT: Final = (OutboundTxState.DUE, OutboundTxState.CANCELLED, OutboundTxState.FAILED)


def apply_collection(
    unit: UnitOfWork, batch: IntentBatch, intent: Intent, event: BridgeTransferEvent
) -> None:
    """Book that somebody else started a payment, so that its deposit lies in the bridge's contract,
    or that a reorganisation undid that."""
    terms = intent.terms
    leg: Leg = (Account.ESCROW, Account.HELD, terms.deposit_amount)
    balance = intent.balance_at_address - terms.deposit_amount
    if event is Event.COLLECT_REVERSED:
        leg = (Account.HELD, Account.ESCROW, terms.deposit_amount)
        balance = intent.balance_at_address + terms.deposit_amount
    tx = f"collected:{intent.id}"
    batch.add_postings(intent.id, terms.source_chain, terms.token_in, tx, leg)
    note = "Somebody else started it." if event is Event.COLLECT else "A reorg undid the start."
    batch.apply_event(
        intent.id, IntentEvent.LEDGER_ONLY, "collected", note, balance_at_address=balance
    )
    batch.transfers.apply(unit, intent.id, event)


def is_collected(unit: UnitOfWork, batch: IntentBatch, intent: Intent) -> bool:
    """Whether the deposit lies in the bridge's contract, as the books know."""
    if intent.custody is not Custody.BRIDGE:
        return False
    transfer = batch.transfers.find(unit, intent.id)
    return transfer is not None and transfer.state is S.COLLECTED


def apply_giving_back(unit: UnitOfWork, batch: IntentBatch, intent: Intent) -> None:
    """Enqueue the transaction by which the bridge's contract gives a collected deposit back."""
    state = batch.transfers.get(unit, intent.id).state
    if state is S.PLANNED:
        apply_collection(unit, batch, intent, Event.COLLECT)
    if state in (S.PLANNED, S.COLLECTED):
        batch.transfers.apply(unit, intent.id, Event.GIVE_BACK)
    terms = intent.terms
    batch.outbound.append(
        NewOutboundTx(
            intent.id,
            OutboundTxKind.GIVE_BACK,
            "give_back",
            terms.source_chain,
            terms.token_in,
            terms.deposit_amount,
            intent.address,
            batch.now,
        )
    )


def end_collected(unit: UnitOfWork, batch: IntentBatch, intent: Intent, note: str) -> None:
    """Close a payment whose deposit the bridge's contract holds, and have it given back."""
    batch.apply_event(intent.id, IntentEvent.DEADLINE_HOLDING, "expiry", note)
    apply_giving_back(unit, batch, batch.current[intent.id])


def give_back_by_hand(unit: UnitOfWork, batch: IntentBatch, intent_id: int, reason: str) -> None:
    """Close a payment before it expires, because its bridge does not take the deposit.

    The batch must hold the intent; the caller stores the batch. Raises `InvalidStatus` where the
    bridge's contract does not hold the deposit, or a transaction that sends it is under way.
    """
    intent = batch.current[intent_id]
    # Locked, so that nothing that sends it is signed concurrently.
    ids = [t.id for t in unit.outbound_txs.list_by_intents([intent_id], OutboundTxKind.START)]
    starts = list(unit.outbound_txs.lock(ids).values())
    if intent.state is not State.FUNDED or not is_collected(unit, batch, intent):
        raise InvalidStatus("Nothing to give back: the bridge's contract does not hold the deposit")
    if any(start.state not in _NEVER_SENT for start in starts):
        raise InvalidStatus("Nothing to give back yet: a transaction that sends it is under way")
    due = [start for start in starts if start.state is OutboundTxState.DUE]
    changes = [
        OutboundTxChange.after_event(start, OutboundTxEvent.CANCEL, reason, batch.now)
        for start in due
    ]
    unit.outbound_txs.update(changes, batch.now)
    end_collected(unit, batch, intent, reason)
    enqueue_deposit_returns(unit, batch, [intent_id])
