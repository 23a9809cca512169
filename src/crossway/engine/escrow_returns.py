"""Collected deposits that the escrow returned to their deposit addresses: by us, as an agent that
may pay the payer in no other way, or because somebody reclaimed them long after expiry."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from crossway.domain.bridge_transfer import Custody
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.engine.alerts import raise_alert
from crossway.engine.outbound_decision import Decision, FoundTx
from crossway.engine.tx_builder import build_ledger_legs
from crossway.ports.chain import Chain, ChainHead, IncludedTx, TokenTransfer
from crossway.ports.records import NewOutboundTx
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import RETURNED_CAUSE, IntentBatch, recovered_dust
from crossway.usecases.payments.returns import new_return

_RECLAIMED: Final = "Somebody reclaimed the deposit; its block needs more confirmations."
_AT_OUR_LOSS: Final = (
    "Payment {} was paid out, and its deposit was reclaimed from the escrow before the relayer was "
    "repaid: recipient and payer both have the money."
)


@dataclass(frozen=True, slots=True)
class Reclaims:
    """What somebody reclaimed of the deposits that due transactions are to pay out: by transaction,
    the one that did so; those in `young` blocks are waited for."""

    found: Mapping[int, FoundTx] = field(default_factory=dict)
    young: Collection[int] = ()


def read_reclaims(
    services: Services, chain: Chain, head: ChainHead, txs: Sequence[OutboundTx]
) -> Reclaims:
    """Read which deposits were reclaimed, where that is possible by now."""
    accounts = chain.accounts
    delay = timedelta(seconds=accounts.reclaim_seconds)
    paying_out = [tx for tx in txs if _pays_out(tx)] if delay else []
    with services.store.read() as unit:
        intents = unit.intents.get_many({tx.intent_id for tx in paying_out})
        usd_values = unit.intents.get_usd_values(intents)
    open_to_all = {
        intents[tx.intent_id].intent_hash: tx
        for tx in paying_out
        if accounts.is_reclaimable(intents[tx.intent_id].bridger)
        and head.time >= intents[tx.intent_id].terms.expires_at + delay
    }
    if not open_to_all:
        return Reclaims()
    since = min(intents[tx.intent_id].created_at for tx in open_to_all.values())
    try:
        tx_ids = chain.find_reclaims(open_to_all, since)
        statuses = chain.status({tx_id for tx_id in tx_ids.values() if tx_id})
    except Unreachable:
        # Where the nodes disagree on one of these deposits, all else on this chain goes on.
        return Reclaims(young={tx.id for tx in open_to_all.values()})
    depth = services.catalogue.chains[chain.id].confirmations.depth_for_value
    found, young = {}, set()
    for intent_hash, tx_id in tx_ids.items():
        tx, status = open_to_all[intent_hash], statuses.get(tx_id)
        deepest = head.height - depth(usd_values[tx.intent_id])
        is_done = isinstance(status, IncludedTx) and not status.reason
        if isinstance(status, IncludedTx) and is_done and status.block_height <= deepest:
            found[tx.id] = FoundTx(tx_id, status)
        else:
            young.add(tx.id)
    return Reclaims(found, young)


def _pays_out(tx: OutboundTx) -> bool:
    repays = tx.kind is OutboundTxKind.REIMBURSE
    return repays or (tx.kind is OutboundTxKind.REFUND and tx.amount is not None)


def decide_reclaimed(tx: OutboundTx, intent: Intent, reclaims: Reclaims) -> Decision | None:
    """The decision on a transaction that is to pay out what somebody has reclaimed."""
    states = (
        (State.COMPLETED,)
        if tx.kind is OutboundTxKind.REIMBURSE
        else (
            State.FAILED,
            State.EXPIRED,
        )
    )
    if intent.state not in states:
        return None
    if found := reclaims.found.get(tx.id):
        return Decision(found=found)
    return Decision(wait_reason=_RECLAIMED) if tx.id in reclaims.young else None


def is_return(intent: Intent, transfers: Sequence[TokenTransfer]) -> bool:
    """Whether these transfers return a collected deposit to its deposit address."""
    by_operator = intent.custody is Custody.OPERATOR
    return by_operator and any(_goes_back(intent, transfer) for transfer in transfers)


def _goes_back(intent: Intent, transfer: TokenTransfer) -> bool:
    return (transfer.source, transfer.to) == (intent.bridger, intent.address)


def apply_return(
    unit: UnitOfWork,
    batch: IntentBatch,
    chain: Chain,
    tx: OutboundTx,
    tx_id: str,
    transfers: Sequence[TokenTransfer],
) -> None:
    """Book it. What lies at the deposit address then is refunded from there; the payment has ended
    once the refund address was paid."""
    intent, key = batch.current[tx.intent_id], (tx.intent_id, tx.chain, tx.token)
    book_transfers(batch, chain, tx, tx_id, _own_transfers(intent, chain, tx, transfers))
    if dust := recovered_dust(unit, batch, key):
        batch.add_postings(intent.id, tx.chain, tx.token, tx_id, (Account.HELD, Account.DUST, dust))
    left = batch.balances.get(unit, key).held
    is_refund = tx.kind is OutboundTxKind.REFUND
    ends = is_refund and not left and intent.state in (State.EXPIRED, State.FAILED)
    event = IntentEvent.RETURNED if ends else IntentEvent.LEDGER_ONLY
    hashes = {"tx_hash": tx_id} if ends else {}
    batch.apply_event(intent.id, event, "refund", tx_id, balance_at_address=left, **hashes)
    if not is_refund:
        message = _AT_OUR_LOSS.format(intent.id)
        raise_alert(unit, batch.services, f"transfer:{tx.id}", "transfer", str(intent.id), message)
    if left > 0:
        batch.outbound.append(_new_sweep(intent, tx, batch))


def book_transfers(
    batch: IntentBatch, chain: Chain, tx: OutboundTx, tx_id: str, transfers: Sequence[TokenTransfer]
) -> None:
    """Book what a transaction transferred for its payment."""
    intent = batch.current[tx.intent_id]
    for transfer in transfers:
        legs = build_ledger_legs(tx, intent, chain.accounts, transfer)
        batch.add_postings(intent.id, chain.id, transfer.token, tx_id, *legs)


def _own_transfers(
    intent: Intent, chain: Chain, tx: OutboundTx, transfers: Sequence[TokenTransfer]
) -> list[TokenTransfer]:
    """Those of this payment: somebody may have reclaimed others in the same transaction."""
    of_token = [transfer for transfer in transfers if transfer.token == tx.token]
    back = [transfer for transfer in of_token if _goes_back(intent, transfer)]
    onwards = [transfer for transfer in of_token if transfer.source == intent.address]
    if sum(transfer.amount for transfer in back) >= intent.collected.amount:
        return back + onwards
    # Of a refund of ours, the rest are the network costs.
    parties = (intent.bridger, chain.accounts.relayer)
    return back + onwards + [t for t in of_token if (t.source, t.to) == parties]


def _new_sweep(intent: Intent, tx: OutboundTx, batch: IntentBatch) -> NewOutboundTx:
    if tx.kind is not OutboundTxKind.REFUND:
        return new_return(intent, tx.chain, tx.token, f"after:{tx.id}", batch.now)
    return NewOutboundTx(
        intent.id, tx.kind, RETURNED_CAUSE, tx.chain, tx.token, None, tx.to_address, batch.now
    )
