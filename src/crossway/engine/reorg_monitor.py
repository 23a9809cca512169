"""Watches confirmed transactions until their block is final and reverses those a reorg removed."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from crossway.domain.bridge_transfer import Custody
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.ledger import Posting
from crossway.domain.outbound import (
    INVENTORY_KINDS,
    STANDING_KINDS,
    OutboundTx,
    OutboundTxEvent,
    OutboundTxKind,
    OutboundTxState,
)
from crossway.domain.owners import is_payment, owner_subject
from crossway.domain.payer_signatures import SignatureEvent, SignatureOutcome
from crossway.engine.alerts import describe_outbound_tx, raise_alert
from crossway.engine.bridge_effects import close_delivered
from crossway.engine.bridge_proof import has_done
from crossway.engine.bridge_reversals import reversal_over_bridge, reverse_over_bridge
from crossway.engine.inventory_effects import plan_settlements, reverse_inventory_tx
from crossway.engine.pass_writes import PassWrite, PassWrites
from crossway.engine.standing_effects import reverse_moved
from crossway.engine.tx_reasons import has_succeeded
from crossway.ports.chain import Chain, ChainHead, IncludedTx, TxUnknown
from crossway.ports.records import OutboundTxChange
from crossway.ports.services import Services
from crossway.ports.shards import Shards
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.shared_transactions import status_of_each
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.payments.lifecycle import IntentBatch, net_held

BATCH = 2_000
_REPORTED_BY_BRIDGES = (
    OutboundTxKind.START,
    OutboundTxKind.GIVE_BACK,
    OutboundTxKind.DELIVER,
    OutboundTxKind.RELEASE,
)


def finalize_confirmed(
    services: Services, heads: Mapping[str, ChainHead], writes: PassWrites, shards: Shards
) -> None:
    """Mark confirmed transactions as final once their block is."""
    with services.store.read() as unit:
        heights = {chain: head.finalized for chain, head in heads.items()}
        final_txs = unit.outbound_txs.list_final(heights, BATCH, shards)
    for chain_id, txs in _by_chain(final_txs).items():
        try:
            _recheck(services, services.chains[chain_id], txs, writes)
        except Unreachable:
            continue


def recheck_after_reorg(services: Services, chain_id: str, from_height: int) -> None:
    """After a reorg, check every transaction that was confirmed at `from_height` or above."""
    with services.store.read() as unit:
        affected = unit.outbound_txs.list_in_state(
            [chain_id], OutboundTxState.CONFIRMED, BATCH, min_height=from_height
        )
    if affected:
        _recheck(services, services.chains[chain_id], affected)


def _recheck(
    services: Services,
    chain: Chain,
    txs: Sequence[OutboundTx],
    writes: PassWrites | None = None,
) -> None:
    """Check each transaction again and reverse those that are gone. With `writes`, those that are
    there are final, and this is stored with them."""
    now = services.clock.now()
    known, gone = _ask(services, chain, txs)
    finalized: list[OutboundTxChange] = []
    if writes is not None:
        events = [(tx, OutboundTxEvent.FINALIZE, height) for tx, height in known]
        finalized = [_build_change(*event, now) for event in events]
    decided = {tx.id: tx.tx_id for tx in (*(tx for tx, _ in known), *gone)}

    def work(unit: UnitOfWork) -> None:
        confirmed = unit.outbound_txs.lock_in_state(decided, OutboundTxState.CONFIRMED)
        reverted = [tx for tx in gone if tx.id in confirmed]
        batch = IntentBatch(services, now, unit.intents.lock({t.intent_id for t in reverted}))
        for tx in reverted:
            _apply_reorg(unit, batch, chain, tx)
        changes = [change for change in finalized if change.id in confirmed]
        changes += _reversals(unit, reverted, now)
        _follow_final(unit, batch, txs, changes)
        unit.outbound_txs.update(changes, now)
        batch.store(unit)

    if writes is not None and (finalized or gone):
        count = len(finalized) + len(gone)
        writes.add(PassWrite(work, partial(services.store.write, work), lambda _: count))
    elif gone:
        services.store.write(work)


def _ask(
    services: Services, chain: Chain, txs: Sequence[OutboundTx]
) -> tuple[list[tuple[OutboundTx, int]], list[OutboundTx]]:
    """Which of the transactions still are in a block, with its height, and which are gone or have
    done something else; what the chain does not tell is in neither."""
    sent = [(t.id, t.intent_id, t.tx_id) for t in txs if t.tx_id]
    statuses = status_of_each(services, sent, chain.status({tx_id for _, _, tx_id in sent}))
    over_bridges = _load_over_bridges(services, txs)
    known: list[tuple[OutboundTx, int]] = []
    gone: list[OutboundTx] = []
    for tx in txs:
        status = statuses.get((tx.id, tx.tx_id or ""))
        if isinstance(status, TxUnknown):
            continue
        if (
            isinstance(status, IncludedTx)
            and has_succeeded(tx.kind, status.reason)
            and not _may_differ(tx, status)
            and _has_still_done(tx, over_bridges.get(tx.intent_id), status)
        ):
            known.append((tx, status.block_height))
        else:
            gone.append(tx)
    return known, gone


def _follow_final(
    unit: UnitOfWork,
    batch: IntentBatch,
    txs: Sequence[OutboundTx],
    changes: Sequence[OutboundTxChange],
) -> None:
    """What follows from those of the transactions that are final now."""
    final_ids = {c.id for c in changes if c.after is OutboundTxState.FINAL}
    final_txs = [tx for tx in txs if tx.id in final_ids]
    close_delivered(unit, batch, final_txs)
    plan_settlements(unit, batch, final_txs)


def _reversals(
    unit: UnitOfWork, txs: Sequence[OutboundTx], now: datetime
) -> list[OutboundTxChange]:
    """The changes of transactions that are gone: ours are sent again. Somebody else's is found
    again where it is included in another block; else ours is signed."""
    attempts = unit.outbound_txs.list_attempts([tx.id for tx in txs])
    ours = {attempt.signed.tx_id for attempt in attempts}
    events = {
        tx.id: OutboundTxEvent.REORG if tx.tx_id in ours else OutboundTxEvent.DROP for tx in txs
    }
    return [_build_change(tx, events[tx.id], None, now) for tx in txs]


def _may_differ(tx: OutboundTx, included: IncludedTx) -> bool:
    """Whether a sweep was included again in another block: it may have moved another amount."""
    is_sweep = tx.kind is OutboundTxKind.START or tx.amount is None
    return is_sweep and included.block_height != tx.block_height


def _load_over_bridges(services: Services, txs: Sequence[OutboundTx]) -> Mapping[int, Intent]:
    ids = {tx.intent_id for tx in txs if tx.kind in _REPORTED_BY_BRIDGES}
    if not ids:
        return {}
    with services.store.read() as unit:
        intents = unit.intents.get_many(ids)
    return {i: intent for i, intent in intents.items() if intent.custody is Custody.BRIDGE}


def _has_still_done(tx: OutboundTx, intent: Intent | None, included: IncludedTx) -> bool:
    """Whether it does the same where another block of the same height includes it: what a stranger
    made may depend on the block."""
    return intent is None or bool(included.reason) or has_done(tx.kind, intent, included)


def _build_change(
    tx: OutboundTx, event: OutboundTxEvent, height: int | None, now: datetime
) -> OutboundTxChange:
    return OutboundTxChange.after_event(tx, event, tx.reason, now, block_height=height)


def _by_chain(txs: Sequence[OutboundTx]) -> dict[str, list[OutboundTx]]:
    grouped: dict[str, list[OutboundTx]] = defaultdict(list)
    for tx in txs:
        grouped[tx.chain].append(tx)
    return grouped


def _apply_reorg(unit: UnitOfWork, batch: IntentBatch, chain: Chain, tx: OutboundTx) -> None:
    """Reverse the ledger postings and the state change of a transaction that a reorg removed."""
    postings_of_tx = unit.ledger.list_by_tx([tx.intent_id], {tx.tx_id or ""})
    batch.append_postings(posting.reversed() for posting in postings_of_tx)
    if tx.kind is OutboundTxKind.PAY_IN:
        reversal = SignatureOutcome(SignatureEvent.REVERSE)
        unit.payer_signatures.apply(tx.intent_id, tx.cause, reversal, batch.now)
    elif is_payment(tx.intent_id):
        _reverse_payment(unit, batch, tx, postings_of_tx)
    if tx.kind in INVENTORY_KINDS:
        reverse_inventory_tx(unit, batch, tx)
    if tx.kind in STANDING_KINDS:
        reverse_moved(unit, batch, tx)
    raise_alert(
        unit,
        batch.services,
        f"reorg:{tx.id}",
        "reorg",
        owner_subject(tx.intent_id),
        f"{describe_outbound_tx(tx.kind, tx.intent_id)} was removed by a reorg on "
        f"{chain_name(batch.services, chain.id)}; the same transaction is sent again.",
    )


def _reverse_payment(
    unit: UnitOfWork, batch: IntentBatch, tx: OutboundTx, postings_of_tx: Sequence[Posting]
) -> None:
    intent = batch.current[tx.intent_id]
    location = (intent.terms.source_chain, intent.terms.token_in)
    own_postings = [
        posting for posting in postings_of_tx if (posting.chain, posting.token) == location
    ]
    repays = (OutboundTxKind.REIMBURSE, OutboundTxKind.DELIVER)
    relayer_claimed = intent.relayer_claimed and tx.kind not in repays
    after = batch.apply_event(
        intent.id,
        _reversal_event(unit, intent, tx),
        f"reorg:{tx.id}",
        tx.tx_id or "",
        balance_at_address=intent.balance_at_address - net_held(own_postings),
        relayer_claimed=relayer_claimed,
    )
    if after.state is State.FUNDED and after.received_amount < after.terms.deposit_amount:
        note = "A reorg removed its deposit as well."
        batch.apply_event(intent.id, IntentEvent.DEPOSIT_REVERSED, f"reorg:{tx.id}", note)
    if intent.custody is Custody.BRIDGE:
        reverse_over_bridge(unit, batch, after, tx, postings_of_tx)


def _reversal_event(unit: UnitOfWork, intent: Intent, tx: OutboundTx) -> IntentEvent:
    if intent.custody is Custody.BRIDGE and (event := reversal_over_bridge(intent, tx)):
        return event
    if tx.kind is OutboundTxKind.FILL and intent.state is State.COMPLETED:
        return IntentEvent.FILL_REVERSED
    if tx.kind is OutboundTxKind.REFUND and intent.state is State.REFUNDED:
        return IntentEvent.RETURN_REVERSED
    started = tx.kind is OutboundTxKind.START and intent.state is State.INITIATED
    if started and not _is_paying_out(unit, intent):
        return IntentEvent.START_REVERSED
    return IntentEvent.LEDGER_ONLY


def _is_paying_out(unit: UnitOfWork, intent: Intent) -> bool:
    """Whether the payout may be made although the start is gone: what a bridge attested to is
    delivered, and the loss is the bridge's."""
    if intent.custody is Custody.BRIDGE:
        return bool(unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.DELIVER))
    unsent = (OutboundTxState.DUE, OutboundTxState.CANCELLED)
    return any(
        t.state not in unsent
        for t in unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.FILL)
    )
