"""Applies a transaction's outcome (success, revert, reorg) to its intent and the ledger."""

from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound import (
    INVENTORY_KINDS,
    STANDING_KINDS,
    OutboundTx,
    OutboundTxEvent,
    OutboundTxKind,
    OutboundTxState,
)
from crossway.engine.alerts import describe_outbound_tx, raise_alert
from crossway.engine.bridge_effects import apply_over_bridge
from crossway.engine.escrow_returns import apply_return, book_transfers, is_return
from crossway.engine.inventory_effects import apply_inventory_tx, wake_bringing
from crossway.engine.pay_ins import note_paid, note_revert
from crossway.engine.standing_effects import apply_moved, apply_unmoved
from crossway.engine.tx_builder import build_outbound_call
from crossway.ports.chain import (
    ALREADY_DONE,
    NOTHING_TO_MOVE,
    Chain,
    ChainHead,
    IncludedTx,
    TokenTransfer,
)
from crossway.ports.records import OutboundTxChange
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.dust import DUST_NOTE
from crossway.usecases.payments.lifecycle import (
    REFUSED_CAUSE,
    IntentBatch,
    new_outbound_tx,
    recovered_dust,
)
from crossway.usecases.payments.returns import (
    is_worth_returning,
    keep_as_dust,
    new_return,
)


def apply_success(
    unit: UnitOfWork,
    batch: IntentBatch,
    chain: Chain,
    tx: OutboundTx,
    tx_id: str,
    included: IncludedTx,
) -> None:
    """Book a successful transaction, advance its intent and enqueue what follows."""
    _book_fee(batch, chain, tx, tx_id, included)
    if tx.kind in (*INVENTORY_KINDS, OutboundTxKind.SKIP_NONCE):
        apply_inventory_tx(unit, batch, tx, tx_id)
    elif tx.kind in STANDING_KINDS:
        apply_moved(unit, batch, tx, tx_id, included)
    elif tx.kind is OutboundTxKind.PAY_IN:
        # What a payer's signature moved is a deposit, which is seen and credited like anybody's.
        note_paid(unit, tx, tx_id, batch.now)
    else:
        _apply_to_payment(unit, batch, chain, tx, tx_id, included)


def _apply_to_payment(
    unit: UnitOfWork,
    batch: IntentBatch,
    chain: Chain,
    tx: OutboundTx,
    tx_id: str,
    included: IncludedTx,
) -> None:
    intent = batch.current[tx.intent_id]
    transfers = _transfers_of(unit, batch, chain, tx, included)
    if is_return(intent, transfers):
        return apply_return(unit, batch, chain, tx, tx_id, transfers)
    book_transfers(batch, chain, tx, tx_id, transfers)
    remaining = _balance_after(unit, batch, intent, tx, tx_id)
    over_bridge = intent.custody is Custody.BRIDGE
    if over_bridge and apply_over_bridge(unit, batch, tx, tx_id, included, remaining):
        return _enqueue_return_of_rest(unit, batch, tx)
    match tx.kind:
        case OutboundTxKind.START:
            _apply_start(unit, batch, intent, tx, tx_id, remaining)
        case OutboundTxKind.FILL:
            is_first = intent.state is State.INITIATED
            event = IntentEvent.FILLED if is_first else IntentEvent.LEDGER_ONLY
            batch.apply_event(intent.id, event, "fill", tx_id, tx_hash=tx_id)
        case OutboundTxKind.REIMBURSE:
            completed = intent.state is State.COMPLETED
            event = IntentEvent.REIMBURSED if completed else IntentEvent.LEDGER_ONLY
            batch.apply_event(intent.id, event, "reimburse", tx_id, relayer_claimed=True)
        case OutboundTxKind.REFUND:
            _apply_refund(batch, intent, tx_id, remaining)
            _enqueue_return_of_rest(unit, batch, tx)
        case OutboundTxKind.RETURN_EXCESS:
            event = IntentEvent.LEDGER_ONLY
            batch.apply_event(intent.id, event, "return", tx_id, balance_at_address=remaining)
            _enqueue_return_of_rest(unit, batch, tx)


def _apply_refund(batch: IntentBatch, intent: Intent, tx_id: str, remaining: int) -> None:
    refundable = intent.state in (State.EXPIRED, State.FAILED)
    event = IntentEvent.RETURNED if refundable else IntentEvent.LEDGER_ONLY
    batch.apply_event(
        intent.id, event, "refund", tx_id, tx_hash=tx_id, balance_at_address=remaining
    )


def _transfers_of(
    unit: UnitOfWork, batch: IntentBatch, chain: Chain, tx: OutboundTx, included: IncludedTx
) -> tuple[TokenTransfer, ...]:
    """The transfers of this transaction, or of an earlier one that the ledger does not have."""
    intent = batch.current[tx.intent_id]
    if included.reason == ALREADY_DONE:
        if tx.kind is OutboundTxKind.FILL and intent.custody is Custody.BRIDGE:
            return ()  # The bridge's delivery, or another, has paid the recipient.
        return tuple(
            TokenTransfer(o.source, o.to, o.token, o.amount)
            for o in build_outbound_call(tx, intent, chain.accounts).outputs
            if o.amount is not None
        )
    if included.reason == NOTHING_TO_MOVE:
        # Money can leave a deposit address that was not started only by a refund.
        held = batch.balances.get(unit, (tx.intent_id, tx.chain, tx.token)).held
        return (TokenTransfer(intent.address, tx.to_address, tx.token, held),)
    return included.transfers


def _balance_after(
    unit: UnitOfWork, batch: IntentBatch, intent: Intent, tx: OutboundTx, tx_id: str
) -> int:
    """The intent's balance after the transaction; dust that left with it is booked back first."""
    if tx.kind not in (
        OutboundTxKind.START,
        OutboundTxKind.REFUND,
        OutboundTxKind.RETURN_EXCESS,
        OutboundTxKind.GIVE_BACK,
    ):
        return intent.balance_at_address
    key = (intent.id, tx.chain, tx.token)
    if dust := recovered_dust(unit, batch, key):
        batch.add_postings(intent.id, tx.chain, tx.token, tx_id, (Account.HELD, Account.DUST, dust))
    is_intent_token = key[1:] == (intent.terms.source_chain, intent.terms.token_in)
    return batch.balances.get(unit, key).held if is_intent_token else intent.balance_at_address


def apply_already_done(
    unit: UnitOfWork, batch: IntentBatch, chain: Chain, tx: OutboundTx, head: ChainHead
) -> None:
    """Apply a transaction that the chain has executed and the ledger does not have."""
    included = IncludedTx(head.height, head.block_hash, head.time, (), 0, ALREADY_DONE)
    apply_success(unit, batch, chain, tx, f"found:{tx.kind.lower()}", included)


def apply_abandonment(
    unit: UnitOfWork, batch: IntentBatch, tx: OutboundTx, fail_reason: str, is_dust: bool
) -> None:
    """Apply the consequences of an abandoned transaction.

    It was given up (`fail_reason`), its amount is dust (`is_dust`), or it is a refund that is
    obsolete because the start was executed (neither): the start is revived.
    """
    intent = batch.current[tx.intent_id]
    if is_dust:
        _keep_rest(unit, batch, tx)
    elif fail_reason and tx.kind is OutboundTxKind.FILL and intent.state is State.INITIATED:
        batch.apply_event(
            intent.id, IntentEvent.FILL_GIVEN_UP, "failed", fail_reason, needs_relay=False
        )
    elif not fail_reason:
        starts = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.START)
        failed = [start for start in starts if start.state is OutboundTxState.FAILED]
        revivals = [
            OutboundTxChange.after_event(
                start, OutboundTxEvent.REVIVE, "", batch.now, attempt_count=0
            )
            for start in failed
        ]
        unit.outbound_txs.update(revivals, batch.now)
        batch.outbound.append(
            new_outbound_tx(batch.services, intent, OutboundTxKind.START, "", batch.now)
        )


def _keep_rest(unit: UnitOfWork, batch: IntentBatch, tx: OutboundTx) -> None:
    """Keep what is at the address, unless more has arrived since that was decided."""
    intent = batch.current[tx.intent_id]
    balance = batch.balances.get(unit, (intent.id, tx.chain, tx.token))
    if is_worth_returning(batch, intent, balance):
        _enqueue_return_of_rest(unit, batch, tx)
        return
    keep_as_dust(unit, batch, balance)
    is_intent_token = (tx.chain, tx.token) == (intent.terms.source_chain, intent.terms.token_in)
    remaining = 0 if is_intent_token else intent.balance_at_address
    event = IntentEvent.LEDGER_ONLY
    batch.apply_event(intent.id, event, "dust", DUST_NOTE, balance_at_address=remaining)


def _apply_start(
    unit: UnitOfWork,
    batch: IntentBatch,
    intent: Intent,
    tx: OutboundTx,
    tx_id: str,
    remaining: int,
) -> None:
    is_first_start = intent.state in (State.FUNDED, State.PENDING, State.EXPIRED)
    relayer = batch.services.chains[intent.terms.destination_chain].accounts.relayer
    batch.apply_event(
        intent.id,
        IntentEvent.STARTED if is_first_start else IntentEvent.LEDGER_ONLY,
        "start",
        tx_id,
        tx_hash=tx_id if is_first_start and not tx_id.startswith("found:") else intent.tx_hash,
        balance_at_address=remaining,
        relayer=relayer,
        needs_relay=True,
    )
    wake_bringing(unit, batch, intent)
    _enqueue_return_of_rest(unit, batch, tx)


def _enqueue_return_of_rest(unit: UnitOfWork, batch: IntentBatch, tx: OutboundTx) -> None:
    """Enqueue the return of money that arrived while this transaction was pending."""
    intent = batch.current[tx.intent_id]
    if batch.balances.get(unit, (intent.id, tx.chain, tx.token)).held > 0:
        cause = f"after:{tx.id}"
        batch.outbound.append(new_return(intent, tx.chain, tx.token, cause, batch.now))


def _book_fee(
    batch: IntentBatch, chain: Chain, tx: OutboundTx, tx_id: str, included: IncludedTx
) -> None:
    if included.fee_units:
        native = batch.services.catalogue.native_token(chain.id)
        leg = (Account.NETWORK_FEES, Account.INVENTORY, included.fee_units)
        batch.add_postings(tx.intent_id, chain.id, native, tx_id, leg)


def apply_refusal(
    batch: IntentBatch, intent: Intent, reason: str, by_recipient: bool = True
) -> None:
    """Fail a payment whose payout was refused. Where it was not its recipient who refused, all goes
    back; else the network costs are kept."""
    cause = REFUSED_CAUSE if by_recipient else "failed"
    batch.apply_event(intent.id, IntentEvent.FILL_REFUSED, cause, reason, needs_relay=False)


def apply_revert(
    unit: UnitOfWork,
    batch: IntentBatch,
    chain: Chain,
    tx: OutboundTx,
    tx_id: str,
    included: IncludedTx,
    permanent: bool = True,
) -> None:
    """Book the fee of a reverted transaction; when it is final, fail the intent and alert."""
    _book_fee(batch, chain, tx, tx_id, included)
    if tx.kind is OutboundTxKind.PAY_IN:
        note_revert(unit, batch.services, tx, batch.now)
    if not permanent:
        return
    if tx.kind in STANDING_KINDS:
        return apply_unmoved(unit, batch, tx, included.reason)
    intent = batch.current[tx.intent_id]
    if intent.custody is Custody.BRIDGE and tx.kind is OutboundTxKind.FILL:
        return  # The bridge's delivery pays.
    if tx.kind is OutboundTxKind.FILL and intent.state is State.INITIATED:
        apply_refusal(batch, intent, included.reason, by_recipient=included.permanent)
    raise_alert(
        unit,
        batch.services,
        f"transfer:{tx.id}",
        "transfer",
        str(intent.id),
        f"{describe_outbound_tx(tx.kind, intent.id)} failed permanently: {included.reason}",
    )
