"""What happens to an inventory transfer and the ledger when its transactions are made or undone,
and when it arrives."""

from collections.abc import Mapping, Sequence
from typing import Final

from crossway.domain.intent import Intent
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferEvent,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.domain.ledger import UNIFIED_TOKEN, Account, Posting, unified_location
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.engine.inventory_txs import attempt_of
from crossway.engine.outbound_decision import Decision
from crossway.ports.chain import SignedTx
from crossway.ports.inventory_bridge import Arrived, GivenBack
from crossway.ports.records import OutboundTxChange
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.inventory_transfers import (
    InventoryTransferBatch,
    bringing_transfer,
    settling_transfer,
)
from crossway.usecases.payments.lifecycle import IntentBatch

S, Event, Kind = InventoryTransferState, InventoryTransferEvent, InventoryTransferKind
_UNSENT: Final = (S.AGREED, S.SENDING)


def store_funding(
    unit: UnitOfWork,
    decisions: Sequence[tuple[OutboundTx, Decision]],
    signed: Mapping[int, SignedTx],
    batch: InventoryTransferBatch,
) -> None:
    """Store what bridges are to bring for payments whose starts were just signed, and which
    inventory transfers are being sent."""
    for tx, decision in decisions:
        if tx.id not in signed:
            continue
        if decision.funding is not None:
            batch.planned.append(decision.funding)
        if tx.kind is OutboundTxKind.INVENTORY_SEND:
            transfer = _find(unit, batch, tx)
            if transfer is not None and transfer.state is S.AGREED:
                batch.apply(transfer, Event.SIGN)
    batch.store(unit)


def wake_bringing(unit: UnitOfWork, batch: IntentBatch, intent: Intent) -> None:
    """A payment was started: what a bridge is to bring for it begins."""
    if bringing_transfer(intent) is None:
        return
    for transfer in batch.inventory.list_of(unit, intent.id):
        if transfer.state is S.PLANNED and transfer.destination_chain:
            now = batch.now
            batch.inventory.update(transfer, next_at=now, updated_at=now, reason="")


def plan_settlements(unit: UnitOfWork, batch: IntentBatch, final: Sequence[OutboundTx]) -> None:
    """Plan the transfers that settle what the escrow has repaid to the relayer by one of these
    final transactions."""
    repaid = {tx.intent_id for tx in final if tx.kind is OutboundTxKind.REIMBURSE}
    for intent in unit.intents.get_many(repaid).values():
        new = settling_transfer(intent, batch.now)
        if new is not None and new.bridge in batch.services.inventory_bridges:
            batch.inventory.planned.append(new)


def apply_inventory_tx(unit: UnitOfWork, batch: IntentBatch, tx: OutboundTx, tx_id: str) -> None:
    """Book a transaction of an inventory transfer that was included. One of an agreement that
    another has replaced moves nothing, and one that skips a nonce neither."""
    if tx.kind is OutboundTxKind.SKIP_NONCE:
        return
    transfer = _find(unit, batch.inventory, tx)
    if tx.kind is OutboundTxKind.INVENTORY_APPROVE:
        return _wake(unit, batch, tx.intent_id, OutboundTxKind.INVENTORY_SEND)
    if transfer is None:
        return
    if transfer.kind is not Kind.MINT:
        leg = (Account.IN_TRANSIT, Account.INVENTORY, tx.amount or 0)
        batch.add_postings(tx.intent_id, tx.chain, tx.token, tx_id, leg)
    if transfer.state in _UNSENT:
        batch.inventory.apply(transfer, Event.SEND, source_tx=tx_id, next_at=batch.now, reason="")
    else:
        batch.inventory.update(transfer, source_tx=tx_id)


def reverse_inventory_tx(unit: UnitOfWork, batch: IntentBatch, tx: OutboundTx) -> None:
    """A reorganisation removed a transaction of an inventory transfer; its postings are reversed.
    Where that transaction was the arrival, so is that."""
    transfer = _find(unit, batch.inventory, tx)
    if tx.kind is not OutboundTxKind.INVENTORY_SEND or transfer is None:
        return
    if transfer.state is S.DELIVERED and transfer.destination_tx == tx.tx_id:
        transfer = batch.inventory.apply(transfer, Event.DELIVERY_REVERSED, destination_tx="")
    if transfer.state in (S.SENT, S.OVERDUE):
        batch.inventory.apply(transfer, Event.SEND_REVERSED, source_tx="")


def apply_arrival(
    unit: UnitOfWork, batch: IntentBatch, transfer: InventoryTransfer, arrived: Arrived
) -> None:
    """Book what arrived, and let the payout that waits for it go on."""
    owner, services = transfer.intent_id, batch.services
    crossed = _amount_at_source(services, transfer)
    source, destination = _places(services, transfer)
    if transfer.kind is Kind.MINT:
        legs = [(Account.CROSSED, Account.INVENTORY, crossed)]
        fee, payer = arrived.fee_units, Account.INVENTORY
    else:
        legs = [(Account.CROSSED, Account.IN_TRANSIT, crossed)]
        fee, payer = transfer.source_amount - crossed, Account.IN_TRANSIT
    if fee:
        legs.append((Account.BRIDGE_FEES, payer, fee))
    batch.add_postings(owner, *source, arrived.tx_id, *legs)
    gained = (Account.INVENTORY, Account.CROSSED, transfer.amount)
    batch.add_postings(owner, *destination, arrived.tx_id, gained)
    batch.inventory.apply(
        transfer, Event.DELIVER, destination_tx=arrived.tx_id, next_at=batch.now, reason=""
    )
    _wake(unit, batch, owner, OutboundTxKind.FILL)


def reverse_arrival(unit: UnitOfWork, batch: IntentBatch, transfer: InventoryTransfer) -> None:
    """What had arrived is gone: its postings are reversed, and it is waited for again."""
    postings = unit.ledger.list_by_tx([transfer.intent_id], {transfer.destination_tx})
    places = _places(batch.services, transfer)
    of_arrival = [p for p in postings if (p.chain, p.token) in places and _is_of_arrival(p)]
    batch.append_postings(posting.reversed() for posting in of_arrival)
    batch.inventory.apply(transfer, Event.DELIVERY_REVERSED, destination_tx="", next_at=batch.now)


def apply_return(batch: IntentBatch, transfer: InventoryTransfer, given_back: GivenBack) -> None:
    """Book that the service gave back what was sent to it."""
    leg = (Account.INVENTORY, Account.IN_TRANSIT, transfer.source_amount)
    at = (transfer.source_chain, transfer.source_token)
    batch.add_postings(transfer.intent_id, *at, given_back.tx_id, leg)
    reason = "The service gave it back."
    batch.inventory.apply(transfer, Event.RETURN, destination_tx=given_back.tx_id, reason=reason)


def _find(
    unit: UnitOfWork, batch: InventoryTransferBatch, tx: OutboundTx
) -> InventoryTransfer | None:
    kind, attempt = attempt_of(tx)
    of_intent = batch.list_of(unit, tx.intent_id)
    return next((t for t in of_intent if t.kind == kind and t.attempt == attempt), None)


def _places(
    services: Services, transfer: InventoryTransfer
) -> tuple[tuple[str, str], tuple[str, str]]:
    """The location and the token of both ends, of which the unified balance may be one."""
    testnet = services.catalogue.chains[transfer.chain].testnet
    unified = (unified_location(testnet), UNIFIED_TOKEN)
    source = (transfer.source_chain, transfer.source_token)
    destination = (transfer.destination_chain, transfer.destination_token)
    return (
        unified if transfer.kind is Kind.MINT else source,
        unified if transfer.kind is Kind.DEPOSIT else destination,
    )


def _amount_at_source(services: Services, transfer: InventoryTransfer) -> int:
    """What arrives, one for one in units of the source's token, rounded down; a bridge that
    exchanges two tokens may have taken less, and then has taken no fee."""
    if transfer.kind is not Kind.TRANSFER:
        return transfer.amount
    tokens = services.catalogue.by_address
    source = tokens[transfer.source_chain, transfer.source_token]
    destination = tokens[transfer.destination_chain, transfer.destination_token]
    at_par = int(transfer.amount * 10**source.decimals // 10**destination.decimals)
    return min(at_par, transfer.source_amount)


def _is_of_arrival(posting: Posting) -> bool:
    accounts = {posting.debit, posting.credit}
    return bool(accounts & {Account.CROSSED, Account.BRIDGE_FEES})


def _wake(unit: UnitOfWork, batch: IntentBatch, intent_id: int, kind: OutboundTxKind) -> None:
    """Let due transactions of a kind be looked at again now: what they wait for has happened."""
    waiting = unit.outbound_txs.list_by_intents([intent_id], kind)
    due = {tx.id for tx in waiting if tx.state is OutboundTxState.DUE}
    changes = [
        OutboundTxChange(tx.id, tx.state, tx.state, tx.attempt_count, tx.reason, batch.now)
        for tx in unit.outbound_txs.lock(due).values()
        if tx.state is OutboundTxState.DUE
    ]
    unit.outbound_txs.update(changes, batch.now)
