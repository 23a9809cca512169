"""Stores the outcome of signed transactions: confirmed, reverted, dropped or given up."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from crossway.domain.outbound import (
    OutboundTx,
    OutboundTxEvent,
    OutboundTxKind,
    OutboundTxState,
    advance_outbound_tx,
    backoff_seconds,
)
from crossway.engine.tx_effects import (
    SUCCESS_REASONS,
    amount_at_address,
    apply_revert,
    apply_success,
    settle_misdirected,
)
from crossway.ports.chain import (
    NOTHING_TO_MOVE,
    Chain,
    IncludedTx,
)
from crossway.ports.records import InFlightTx, OutboundTxChange
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import IntentBatch

_MAX_ATTEMPTS = {
    OutboundTxKind.START: 8,
    OutboundTxKind.FILL: 10,
    OutboundTxKind.REFUND: 5,
    OutboundTxKind.RETURN_EXCESS: 5,
}


@dataclass(frozen=True, slots=True)
class DecidedTx:
    """An outbound transaction, the attempt that decides it and how that attempt was included."""

    tx: InFlightTx
    tx_id: str
    included: IncludedTx


def gives_up_after(kind: OutboundTxKind, attempts: int, included: IncludedTx) -> bool:
    """Whether to stop retrying: a permanent revert was seen twice, or the limit is reached."""
    if included.reason in SUCCESS_REASONS or kind is OutboundTxKind.REIMBURSE:
        return False
    return (included.permanent and attempts >= 2) or attempts >= _MAX_ATTEMPTS[kind]


def store_settlements(
    unit: UnitOfWork,
    services: Services,
    chain: Chain,
    decided: Sequence[DecidedTx],
    dropped: Sequence[InFlightTx],
) -> None:
    now = services.clock.now()
    ids = [s.tx.id for s in decided] + [t.id for t in dropped]
    locked = {
        i: t for i, t in unit.outbound_txs.lock(ids).items() if t.state is OutboundTxState.SIGNED
    }
    batch = IntentBatch(services, now, unit.intents.lock({t.intent_id for t in locked.values()}))
    changes = [
        _reschedule(
            locked[t.id],
            OutboundTxEvent.DROP,
            "It can no longer be included; signed anew.",
            now,
            locked[t.id].attempt_count,
        )
        for t in dropped
        if t.id in locked
    ]
    for decided_tx in decided:
        if (tx := locked.get(decided_tx.tx.id)) is not None:
            changes.append(_apply_decided(unit, batch, chain, tx, decided_tx))
    settled = [
        (locked[decided_tx.tx.id], decided_tx.included.reason in SUCCESS_REASONS)
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
    if decided_tx.included.reason == NOTHING_TO_MOVE and amount_at_address(unit, batch, tx) <= 0:
        # The money to return was reorged away as well: plan the transaction again.
        apply_revert(unit, batch, chain, tx, decided_tx.tx_id, decided_tx.included, for_good=False)
        return _reschedule(tx, OutboundTxEvent.REVERT, "", batch.now, tx.attempt_count)
    if decided_tx.included.reason in SUCCESS_REASONS:
        apply_success(unit, batch, chain, tx, decided_tx.tx_id, decided_tx.included)
        return _confirmed(tx, decided_tx, batch.now)
    return _reverted(unit, batch, chain, tx, decided_tx, batch.now)


def _confirmed(tx: OutboundTx, decided_tx: DecidedTx, now: datetime) -> OutboundTxChange:
    after = advance_outbound_tx(tx.state, OutboundTxEvent.CONFIRM)
    return OutboundTxChange(
        tx.id,
        tx.state,
        after,
        tx.attempt_count,
        decided_tx.included.reason,
        now,
        None if decided_tx.tx_id == tx.tx_id else decided_tx.tx_id,
        decided_tx.included.block_height,
    )


def _reverted(
    unit: UnitOfWork,
    batch: IntentBatch,
    chain: Chain,
    tx: OutboundTx,
    decided_tx: DecidedTx,
    now: datetime,
) -> OutboundTxChange:
    """Retry a reverted transaction later, or give it up."""
    attempts = tx.attempt_count + 1
    if gives_up_after(tx.kind, attempts, decided_tx.included):
        apply_revert(unit, batch, chain, tx, decided_tx.tx_id, decided_tx.included)
        after = advance_outbound_tx(tx.state, OutboundTxEvent.GIVE_UP)
        return OutboundTxChange(
            tx.id,
            tx.state,
            after,
            attempts,
            decided_tx.included.reason,
            now,
            decided_tx.tx_id,
            None,
        )
    apply_revert(unit, batch, chain, tx, decided_tx.tx_id, decided_tx.included, for_good=False)
    return _reschedule(tx, OutboundTxEvent.REVERT, decided_tx.included.reason, now, attempts)


def _reschedule(
    tx: OutboundTx, event: OutboundTxEvent, reason: str, now: datetime, attempts: int
) -> OutboundTxChange:
    after = advance_outbound_tx(tx.state, event)
    next_at = now + timedelta(seconds=backoff_seconds(attempts) if attempts else 0)
    return OutboundTxChange(tx.id, tx.state, after, attempts, reason, next_at, None, None)
