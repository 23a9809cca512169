"""The transactions of inventory transfers: which ones a transfer needs, and their calls."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from crossway.domain.intent import Intent
from crossway.domain.inventory_transfer import InventoryTransfer, InventoryTransferState
from crossway.domain.outbound import INVENTORY_KINDS, OutboundTx, OutboundTxKind
from crossway.domain.outbound_call import OutboundCall
from crossway.domain.owners import is_payment
from crossway.ports.chain import Chain
from crossway.ports.inventory_bridge import ContractInvocation, InventoryBridge
from crossway.ports.records import NewOutboundTx
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

S = InventoryTransferState


def new_inventory_txs(
    bridge: InventoryBridge, transfer: InventoryTransfer, now: datetime
) -> list[NewOutboundTx]:
    """The transactions of a transfer that was just agreed to. Each agreement has its own, so that
    nothing of an earlier one is sent. Raises `ValueError` where the bridge names none, or other
    chains."""
    invocations = bridge.invocations(transfer)
    if not invocations or any(one.chain != transfer.chain for one in invocations):
        raise ValueError(f"{transfer.bridge} names no transactions on {transfer.chain}")
    token, amount = transfer.moved_amount
    last = len(invocations) - 1
    return [
        NewOutboundTx(
            transfer.intent_id,
            OutboundTxKind.INVENTORY_SEND if place == last else OutboundTxKind.INVENTORY_APPROVE,
            f"{transfer.kind}:{transfer.attempt}:{place}",
            transfer.chain,
            token,
            amount,
            one.to,
            now,
        )
        for place, one in enumerate(invocations)
    ]


def attempt_of(tx: OutboundTx) -> tuple[str, int]:
    """The kind of the transfer that a transaction belongs to, and the number of its agreement."""
    kind, attempt, _ = tx.cause.split(":")
    return kind, int(attempt)


def find_current(
    tx: OutboundTx, transfers: Iterable[InventoryTransfer]
) -> InventoryTransfer | None:
    """The transfer of a transaction, unless another agreement has replaced the one it is for."""
    kind, attempt = attempt_of(tx)
    return next((t for t in transfers if t.kind == kind and t.attempt == attempt), None)


def build_inventory_calls(
    unit: UnitOfWork,
    services: Services,
    chain: Chain,
    txs: Sequence[OutboundTx],
    intents: Mapping[int, Intent],
) -> dict[int, OutboundCall]:
    """By transaction, its call, and those of transactions that skip a nonce for a rebalancing
    transfer. That of an agreement which another has replaced calls nothing: it only uses the nonce
    for which later transactions may wait. Those of a bridge that is not configured here are
    missing."""
    own = [tx for tx in txs if tx.kind in INVENTORY_KINDS]
    transfers = unit.inventory_transfers.list_by_intents({tx.intent_id for tx in own})
    kind = OutboundTxKind.SKIP_NONCE
    skips = [tx for tx in txs if not is_payment(tx.intent_id) and tx.kind is kind]
    calls = {tx.id: _build_call(chain, tx, None) for tx in skips}
    for tx in own:
        of_intent = [t for t in transfers if t.intent_id == tx.intent_id]
        transfer = find_current(tx, of_intent)
        if transfer is None:
            calls[tx.id] = _build_call(chain, tx, intents.get(tx.intent_id))
        elif bridge := services.inventory_bridges.get(transfer.bridge):
            place = int(tx.cause.rsplit(":", 1)[1])
            one = bridge.invocations(transfer)[place]
            calls[tx.id] = _build_call(chain, tx, intents.get(tx.intent_id), one)
    return calls


def _build_call(
    chain: Chain, tx: OutboundTx, intent: Intent | None, one: ContractInvocation | None = None
) -> OutboundCall:
    call = OutboundCall(
        tx.kind,
        tx.chain,
        chain.accounts.relayer,
        "",
        (),
        contract=one.to if one else "",
        data=one.data if one else b"",
        value=one.value if one else 0,
    )
    if intent is None:
        return call
    return replace(
        call,
        intent_hash=intent.intent_hash,
        terms=intent.terms,
        bridger=intent.bridger,
        coordinator=intent.coordinator,
        custody=intent.custody,
    )
