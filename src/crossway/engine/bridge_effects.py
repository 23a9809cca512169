"""Applies the outcomes of transactions of payments over bridges."""

from collections.abc import Sequence

from crossway.domain.bridge_transfer import BridgeTransferEvent, BridgeTransferState
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.engine.bridge_arrivals import apply_arrival
from crossway.engine.bridge_prefills import apply_prefill
from crossway.engine.bridge_proof import is_made_by
from crossway.engine.bridge_sends import apply_give_back, apply_send, end_unsent
from crossway.ports.chain import IncludedTx
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import IntentBatch

K, S, Event = OutboundTxKind, BridgeTransferState, BridgeTransferEvent


def apply_over_bridge(
    unit: UnitOfWork,
    batch: IntentBatch,
    tx: OutboundTx,
    tx_id: str,
    included: IncludedTx,
    remaining: int,
) -> bool:
    """Apply a transaction of a payment over a bridge, of which `remaining` is at the deposit
    address. Returns False for kinds that have the same effect as on other payments."""
    intent = batch.current[tx.intent_id]
    match tx.kind:
        case K.START:
            apply_send(unit, batch, intent, tx_id, included, remaining)
        case K.DELIVER | K.RELEASE:
            for arrival in included.arrivals:
                is_own = arrival.intent_hash == intent.intent_hash
                if is_own and is_made_by(tx.kind, arrival.outcome):
                    apply_arrival(unit, batch, batch.current[intent.id], arrival, tx_id)
        case K.GIVE_BACK:
            apply_give_back(unit, batch, intent, tx_id, remaining)
        case K.FILL:
            if not included.reason:
                apply_prefill(batch, intent, tx, tx_id)
        case K.REFUND:
            end_unsent(unit, batch, intent, tx_id)
            return False
        case _:
            return False
    return True


def close_delivered(unit: UnitOfWork, batch: IntentBatch, txs: Sequence[OutboundTx]) -> None:
    """Close the transfers whose delivery, or release, is final."""
    ids = {tx.intent_id for tx in txs if tx.kind in (K.DELIVER, K.RELEASE)}
    for intent_id, transfer in batch.transfers.preload(unit, ids).items():
        if transfer.state is S.DELIVERED:
            batch.transfers.apply(unit, intent_id, Event.FINALIZE)
