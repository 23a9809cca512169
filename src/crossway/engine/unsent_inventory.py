"""Finds inventory transfers whose agreement lapsed before their transaction was carried out."""

from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.engine.inventory_txs import find_current
from crossway.ports.services import Services
from crossway.usecases.payments.abandoned_payouts import is_over


def find_unsent(services: Services, transfer: InventoryTransfer) -> OutboundTx | None:
    """The due transaction of a transfer from chain to chain whose agreement has lapsed, where it is
    final that nothing that was signed for it moved anything, or can. Only the relayer can make it,
    so that then nothing was moved by this agreement. Raises `Unreachable`."""
    chain = services.chains.get(transfer.source_chain)
    is_signed = transfer.state is InventoryTransferState.SENDING
    if chain is None or not is_signed or transfer.kind is not InventoryTransferKind.TRANSFER:
        return None
    head = chain.heads()
    if not transfer.has_lapsed(head.time):
        return None
    with services.store.read() as unit:
        sends = unit.outbound_txs.list_by_intents(
            [transfer.intent_id], OutboundTxKind.INVENTORY_SEND
        )
        own = [tx for tx in sends if find_current(tx, [transfer]) is not None]
        attempts = unit.outbound_txs.list_attempts([tx.id for tx in own])
    due = next((tx for tx in own if tx.state is OutboundTxState.DUE), None)
    if due is None:
        return None
    statuses = chain.status([attempt.signed.tx_id for attempt in attempts])
    ended = (is_over(statuses.get(attempt.signed.tx_id), head.finalized) for attempt in attempts)
    return due if all(ended) else None
