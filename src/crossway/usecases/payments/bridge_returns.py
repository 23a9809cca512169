"""Deposits that a bridge returns because it could not carry them: told from payers' transfers."""

from typing import Final

from crossway.domain.bridge_transfer import BridgeTransferEvent, BridgeTransferState, Custody
from crossway.domain.deposits import Deposit, DepositPurpose
from crossway.domain.intent import IntentEvent
from crossway.domain.ledger import Account
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import IntentBatch

_UNDECIDED: Final = (
    BridgeTransferState.SEEN,
    BridgeTransferState.DELAYED,
    BridgeTransferState.OVERDUE,
)
RETURNED_NOTE: Final = "The bridge returned the deposit."


def must_wait(unit: UnitOfWork, batch: IntentBatch, deposit: Deposit) -> bool:
    """Whether it cannot be told yet what a transfer is: a bridge returned as much as it carries,
    and it is not known yet whether somebody fills the payment."""
    return _transfer_state(unit, batch, deposit) in _UNDECIDED


def is_return(unit: UnitOfWork, batch: IntentBatch, deposit: Deposit) -> bool:
    """Whether this is the deposit that a bridge could not carry. Before that is final, or once it
    was filled, money from a bridge is somebody's gift like any other."""
    return _transfer_state(unit, batch, deposit) is BridgeTransferState.EXPIRED


def credit(unit: UnitOfWork, batch: IntentBatch, deposit: Deposit) -> tuple[DepositPurpose, str]:
    """Book a returned deposit, which is refunded from its address. What came beyond it, the bridge
    returned for somebody else who named this address."""
    intent, incoming = batch.current[deposit.intent_id], deposit.incoming
    total = intent.terms.deposit_amount
    location = (incoming.chain, incoming.token, incoming.tx_ref)
    batch.add_postings(intent.id, *location, (Account.HELD, Account.IN_TRANSIT, total))
    if gift := incoming.amount - total:
        batch.add_postings(intent.id, *location, (Account.HELD, Account.PAYER, gift))
    batch.transfers.apply(
        unit, intent.id, BridgeTransferEvent.END_UNSENT, incoming.tx_hash, reason=RETURNED_NOTE
    )
    # The balance is not positive where an earlier transaction sent it on with other money.
    key = (intent.id, incoming.chain, incoming.token)
    was_sent_on = batch.balances.get(unit, key).held <= 0
    batch.apply_event(
        intent.id,
        IntentEvent.RETURNED if was_sent_on else IntentEvent.BRIDGE_RETURNED,
        f"deposit:{deposit.id}",
        RETURNED_NOTE,
        balance_at_address=intent.balance_at_address + incoming.amount,
    )
    if was_sent_on:
        batch.transfers.apply(unit, intent.id, BridgeTransferEvent.REFUND, incoming.tx_hash)
    return DepositPurpose.BRIDGE_RETURN, RETURNED_NOTE


def reverse(unit: UnitOfWork, batch: IntentBatch, deposit: Deposit, note: str) -> None:
    """A reorganisation removed the return: it is waited for again."""
    intent, incoming = batch.current[deposit.intent_id], deposit.incoming
    postings = unit.ledger.list_by_tx([intent.id], {incoming.tx_ref})
    batch.append_postings(posting.reversed() for posting in postings)
    transfer = batch.transfers.get(unit, intent.id)
    if transfer.state is BridgeTransferState.REFUNDING:
        batch.transfers.apply(unit, intent.id, BridgeTransferEvent.RETURN_REVERSED, reason=note)
    batch.apply_event(
        intent.id,
        IntentEvent.LEDGER_ONLY,
        "",
        note,
        balance_at_address=intent.balance_at_address - incoming.amount,
    )


def _transfer_state(
    unit: UnitOfWork, batch: IntentBatch, deposit: Deposit
) -> BridgeTransferState | None:
    """The state of the bridge transfer whose deposit this may be; None where it cannot be one."""
    intent, incoming = batch.current[deposit.intent_id], deposit.incoming
    terms = intent.terms
    if intent.custody is not Custody.BRIDGE or incoming.amount < terms.deposit_amount:
        return None
    chain = batch.services.chains.get(incoming.chain)
    is_from_pool = chain is not None and incoming.sender in chain.accounts.pools
    if not is_from_pool or (incoming.chain, incoming.token) != (terms.source_chain, terms.token_in):
        return None
    transfer = batch.transfers.find(unit, intent.id)
    return transfer.state if transfer is not None else None
