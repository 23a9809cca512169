"""Stores the outcome of signed transactions: confirmed, reverted, dropped or given up."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from crossway.domain.outbound import (
    INVENTORY_KINDS,
    OutboundTx,
    OutboundTxEvent,
    OutboundTxKind,
    backoff_seconds,
)
from crossway.engine.misdirected import settle_misdirected
from crossway.engine.tx_effects import apply_revert, apply_success
from crossway.engine.tx_reasons import has_succeeded
from crossway.ports.chain import (
    NOTHING_TO_MOVE,
    Chain,
    IncludedTx,
)
from crossway.ports.records import InFlightTx, OutboundTxChange
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import RETURNED_CAUSE, IntentBatch

_STARTED = "Somebody had started the payment: its deposit is not refunded from its address."
_DROPPED = "It can no longer be included; signed anew."
_MAX_ATTEMPTS = {
    OutboundTxKind.START: 8,
    OutboundTxKind.FILL: 10,
    OutboundTxKind.REFUND: 5,
    OutboundTxKind.RETURN_EXCESS: 5,
    OutboundTxKind.FORWARD: 8,
    OutboundTxKind.RECOVER: 8,
}
_NEVER_GIVEN_UP = (
    OutboundTxKind.REIMBURSE,
    OutboundTxKind.DELIVER,
    OutboundTxKind.RELEASE,
    OutboundTxKind.GIVE_BACK,
    # Whatever failed, what became of the payer's signature is asked before it ends.
    OutboundTxKind.PAY_IN,
    *INVENTORY_KINDS,
)


@dataclass(frozen=True, slots=True)
class DecidedTx:
    """An outbound transaction, the attempt that decides it and how that attempt was included.

    `was_started`: it found its deposit address empty because somebody had started the payment.
    """

    tx: InFlightTx
    tx_id: str
    included: IncludedTx
    was_started: bool = False


def gives_up_after(kind: OutboundTxKind, attempts: int, included: IncludedTx) -> bool:
    """Whether to stop retrying: a permanent revert was seen twice, or the limit is reached."""
    if has_succeeded(kind, included.reason) or kind in _NEVER_GIVEN_UP:
        return False
    return (included.permanent and attempts >= 2) or attempts >= _MAX_ATTEMPTS[kind]


def store_settlements(
    unit: UnitOfWork,
    services: Services,
    chain: Chain,
    decided: Sequence[DecidedTx],
    dropped: Sequence[InFlightTx],
) -> None:
    """Store decided transactions with their effects, and plan dropped ones again.

    Transactions that are not as they were read were settled or signed anew by another engine
    meanwhile; they are skipped.
    """
    now = services.clock.now()
    locked = unit.outbound_txs.lock_signed(
        {tx.id: tx.tx_id for tx in (*(s.tx for s in decided), *dropped)}
    )
    batch = IntentBatch(services, now, unit.intents.lock({t.intent_id for t in locked.values()}))
    batch.balances.load(unit, {(t.intent_id, t.chain, t.token) for t in locked.values()})
    lost = [locked[tx.id] for tx in dropped if tx.id in locked]
    changes = [
        _reschedule(tx, OutboundTxEvent.DROP, _DROPPED, now, tx.attempt_count) for tx in lost
    ]
    for decided_tx in decided:
        if (tx := locked.get(decided_tx.tx.id)) is not None:
            changes.append(_apply_decided(unit, batch, chain, tx, decided_tx))
    settled = [
        (locked[decided_tx.tx.id], has_succeeded(decided_tx.tx.kind, decided_tx.included.reason))
        for decided_tx in decided
        if decided_tx.tx.id in locked
    ]
    settle_misdirected(unit, batch, chain, settled)
    unit.outbound_txs.update(changes, now)
    batch.store(unit)


def _apply_decided(
    unit: UnitOfWork, batch: IntentBatch, chain: Chain, tx: OutboundTx, decided_tx: DecidedTx
) -> OutboundTxChange:
    """Apply an included transaction to its intent and the ledger; returns its own change."""
    if decided_tx.was_started and tx.cause != RETURNED_CAUSE:
        # What must happen with a payment that was started is decided anew.
        apply_revert(unit, batch, chain, tx, decided_tx.tx_id, decided_tx.included, permanent=False)
        return _reschedule(tx, OutboundTxEvent.REVERT, _STARTED, batch.now, tx.attempt_count)
    if (
        decided_tx.included.reason == NOTHING_TO_MOVE
        and batch.balances.get(unit, (tx.intent_id, tx.chain, tx.token)).held <= 0
    ):
        # The money to return was reorged away as well: plan the transaction again.
        apply_revert(unit, batch, chain, tx, decided_tx.tx_id, decided_tx.included, permanent=False)
        return _reschedule(tx, OutboundTxEvent.REVERT, "", batch.now, tx.attempt_count)
    if has_succeeded(tx.kind, decided_tx.included.reason):
        apply_success(unit, batch, chain, tx, decided_tx.tx_id, decided_tx.included)
        return OutboundTxChange.after_event(
            tx,
            OutboundTxEvent.CONFIRM,
            decided_tx.included.reason,
            batch.now,
            tx_id=None if decided_tx.tx_id == tx.tx_id else decided_tx.tx_id,
            block_height=decided_tx.included.block_height,
        )
    return _apply_revert(unit, batch, chain, tx, decided_tx)


def _apply_revert(
    unit: UnitOfWork,
    batch: IntentBatch,
    chain: Chain,
    tx: OutboundTx,
    decided_tx: DecidedTx,
) -> OutboundTxChange:
    """Retry a reverted transaction later, or give it up."""
    tx_id, included, attempts = decided_tx.tx_id, decided_tx.included, tx.attempt_count + 1
    permanent = gives_up_after(tx.kind, attempts, included)
    apply_revert(unit, batch, chain, tx, tx_id, included, permanent)
    if not permanent:
        return _reschedule(tx, OutboundTxEvent.REVERT, included.reason, batch.now, attempts)
    return OutboundTxChange.after_event(
        tx,
        OutboundTxEvent.GIVE_UP,
        included.reason,
        batch.now,
        attempt_count=attempts,
        tx_id=tx_id,
    )


def _reschedule(
    tx: OutboundTx, event: OutboundTxEvent, reason: str, now: datetime, attempts: int
) -> OutboundTxChange:
    next_at = now + timedelta(seconds=backoff_seconds(attempts) if attempts else 0)
    return OutboundTxChange.after_event(tx, event, reason, next_at, attempt_count=attempts)
