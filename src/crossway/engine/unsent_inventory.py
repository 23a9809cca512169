"""Finds inventory transfers of which nothing was sent before their time was over."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.domain.outbound import (
    INVENTORY_KINDS,
    OutboundTx,
    OutboundTxKind,
    OutboundTxState,
)
from crossway.domain.rebalancing import is_rebalancing
from crossway.engine.inventory_txs import find_current
from crossway.engine.payout_checks import CONFIRMED_STATES
from crossway.ports.services import Services
from crossway.usecases.payments.abandoned_payouts import is_over

# What rebalances is planned anew rather than waited for without end.
REBALANCING_PATIENCE: Final = timedelta(hours=1)


def find_stale_deposit(
    services: Services, transfer: InventoryTransfer, now: datetime
) -> Sequence[OutboundTx]:
    """The due transactions of a deposit that rebalances and could not begin in time; none where
    it may begin. Gateway promised nothing for it, so that it has no agreement that could lapse."""
    is_due = now - transfer.created_at > REBALANCING_PATIENCE
    is_waiting = transfer.state is InventoryTransferState.AGREED and is_due
    is_deposit = transfer.kind is InventoryTransferKind.DEPOSIT
    if not (is_waiting and is_deposit and is_rebalancing(transfer.intent_id)):
        return ()
    with services.store.read() as unit:
        txs = unit.outbound_txs.list_by_intents([transfer.intent_id])
    own = [tx for tx in txs if tx.kind in INVENTORY_KINDS and find_current(tx, [transfer])]
    waiting = [tx for tx in own if tx.state not in CONFIRMED_STATES]
    # An approval that is signed may still be made.
    return waiting if all(tx.state is OutboundTxState.DUE for tx in waiting) else ()


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
