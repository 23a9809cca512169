"""Which calls of inventory transfers may be signed: those that match what is stored about them."""

from collections.abc import Iterator, Mapping
from typing import Final

from crossway.domain.intent import Intent
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.outbound_call import OutboundCall
from crossway.domain.rebalancing import RebalancingState, rebalancing_id
from crossway.ports.inventory_bridge import InventoryBridge
from crossway.ports.store import UnitOfWork

# Of `approve(address,uint256)`, whose amount is its second word.
_APPROVE: Final = bytes.fromhex("095ea7b3")
_AMOUNT: Final = slice(4 + 32, 4 + 64)
_S = InventoryTransferState


def differences_of_invocation(
    unit: UnitOfWork,
    bridges: Mapping[str, InventoryBridge],
    tx: OutboundTx,
    intent: Intent | None,
    call: OutboundCall,
) -> Iterator[str]:
    """Whether a call is the one that the bridge names for the stored agreement, and takes no more
    than the payment has brought, or, without one, than was planned to rebalance. One that calls
    nothing may always be signed."""
    if call.outputs or call.marker is not None or call.not_after is not None:
        yield "it moves more than its contract is called for"
    if not (call.contract or call.data or call.value):
        return
    kind, attempt, _ = tx.cause.split(":")
    transfers = unit.inventory_transfers.list_by_intents([tx.intent_id])
    found = [t for t in transfers if (t.kind, t.attempt) == (kind, int(attempt))]
    # Replacing what was signed only raises its fee, whatever has become of the transfer.
    unsent = (_S.AGREED, _S.SENDING)
    is_agreed = bool(found) and (tx.state is OutboundTxState.SIGNED or found[0].state in unsent)
    if not is_agreed:
        yield "the bridge has not agreed to it"
        return
    transfer = found[0]
    yield from _differences_from_agreed(bridges.get(transfer.bridge), transfer, tx, call)
    yield from _differences_of_approval(transfer, call)
    if intent is None:
        yield from _differences_of_rebalancing(unit, tx, transfer)
    else:
        yield from _excesses(transfer, intent)


def _differences_from_agreed(
    bridge: InventoryBridge | None, transfer: InventoryTransfer, tx: OutboundTx, call: OutboundCall
) -> Iterator[str]:
    """Whether it is the call that the bridge names, and is stored as such."""
    place = tx.cause.rsplit(":", 1)[1]
    invocations = bridge.invocations(transfer) if bridge is not None else ()
    if int(place) >= len(invocations):
        yield "the bridge names no such call"
        return
    one = invocations[int(place)]
    is_last = int(place) == len(invocations) - 1
    if (call.contract, call.data, call.value) != (one.to, one.data, one.value):
        yield "the call is not the one that the bridge names for it"
    if one.to != tx.to_address or is_last != (tx.kind is OutboundTxKind.INVENTORY_SEND):
        yield "the call is that of another transaction"
    if (tx.chain, tx.token, tx.amount) != (transfer.chain, *transfer.moved_amount):
        yield "its chain, token or amount is not that of the inventory transfer"


def _differences_of_approval(transfer: InventoryTransfer, call: OutboundCall) -> Iterator[str]:
    if call.data[:4] == _APPROVE:
        approved = int.from_bytes(call.data[_AMOUNT], "big")
        if approved not in (0, transfer.source_amount):
            yield "it approves another amount than that of the inventory transfer"


def _differences_of_rebalancing(
    unit: UnitOfWork, tx: OutboundTx, transfer: InventoryTransfer
) -> Iterator[str]:
    """Whether somebody, or the policy, has decided on it, and it moves what was decided."""
    id = rebalancing_id(transfer.intent_id)
    planned = unit.rebalancing.get_many([id]).get(id)
    is_first = tx.state is not OutboundTxState.SIGNED
    if planned is None or (is_first and planned.state is not RebalancingState.STARTED):
        yield "nobody has decided on it"
        return
    source = (planned.source_chain, planned.source_token)
    destination = (planned.destination_chain, planned.destination_token)
    ends = (source, destination)
    if transfer.kind is InventoryTransferKind.MINT:
        ends = (("", ""), destination)
    elif transfer.kind is InventoryTransferKind.DEPOSIT:
        ends = (source, ("", ""))
    moved = (transfer.source_chain, transfer.source_token)
    reached = (transfer.destination_chain, transfer.destination_token)
    if (transfer.bridge, transfer.kind, (moved, reached)) != (planned.bridge, planned.kind, ends):
        yield "it goes another way than was decided"
    if transfer.amount != planned.amount or transfer.source_amount > planned.max_source_amount:
        yield "it moves another amount than was decided, or costs more"


def _excesses(transfer: InventoryTransfer, intent: Intent) -> Iterator[str]:
    costs = intent.collected.costs
    if transfer.kind is InventoryTransferKind.MINT:
        if transfer.amount != intent.terms.payout_amount:
            yield "it mints another amount than the payout"
        return
    most = intent.collected.amount
    if transfer.kind is InventoryTransferKind.DEPOSIT:
        if not intent.relayer_claimed:
            yield "the escrow has not repaid the relayer"
        most -= costs.fees_units + costs.app_fee_units
    if transfer.source_amount > most:
        yield "it takes more than the payment has brought"
