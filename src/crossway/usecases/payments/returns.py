"""Returns of deposits of another token or on another chain: one for each address, or none."""

from collections.abc import Collection
from datetime import datetime

from crossway.domain.deposits import Deposit
from crossway.domain.intent import Intent
from crossway.domain.ledger import Account, AddressBalance
from crossway.domain.outbound import OutboundTxKind
from crossway.ports.records import NewOutboundTx
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.dust import DUST_NOTE, is_dust
from crossway.usecases.payments.lifecycle import IntentBatch

# More tokens or chains than this at the addresses of one batch wait for the next deposit.
_MAX_RETURNS = 10_000


def new_return(intent: Intent, chain: str, token: str, cause: str, now: datetime) -> NewOutboundTx:
    """The transaction that returns all of a token at the intent's address on a chain."""
    return NewOutboundTx(
        intent_id=intent.id,
        kind=OutboundTxKind.RETURN_EXCESS,
        cause=cause,
        chain=chain,
        token=token,
        amount=None,
        to_address=intent.terms.refund_address,
        next_at=now,
    )


def new_deposit_return(intent: Intent, deposit: Deposit, now: datetime) -> NewOutboundTx:
    """The transaction that returns a wrong-token or wrong-chain deposit to the refund address,
    with all else of its token there."""
    incoming = deposit.incoming
    return new_return(intent, incoming.chain, incoming.token, f"deposit:{deposit.id}", now)


def is_worth_returning(batch: IntentBatch, intent: Intent, balance: AddressBalance) -> bool:
    """Whether all that is at an address, with the dust that was kept there, is worth more than a
    return costs."""
    amount = balance.held + balance.dust
    return not is_dust(batch.services, intent, balance.token, balance.chain, amount)


def enqueue_deposit_returns(
    unit: UnitOfWork, batch: IntentBatch, intent_ids: Collection[int]
) -> None:
    """Enqueue the return of wrong-token and wrong-chain deposits of these intents, or book them as
    dust together; called when an intent starts or ends."""
    for balance in unit.ledger.list_misdirected(intent_ids, _MAX_RETURNS):
        intent = batch.current[balance.intent_id]
        if not is_worth_returning(batch, intent, balance):
            keep_as_dust(unit, batch, balance)
            continue
        key = (balance.intent_id, balance.chain, balance.token)
        newest = unit.deposits.find_newest_unreturned(key)
        if newest is not None:
            cause = f"deposit:{newest}"
            batch.outbound.append(
                new_return(intent, balance.chain, balance.token, cause, batch.now)
            )


def keep_as_dust(unit: UnitOfWork, batch: IntentBatch, balance: AddressBalance) -> None:
    """Book all that is held at an address as dust, with its reason at the deposits."""
    intent = batch.current[balance.intent_id]
    leg = (Account.DUST, Account.HELD, balance.held)
    batch.add_postings(intent.id, balance.chain, balance.token, "dust", leg)
    unit.deposits.mark_returned([(balance.intent_id, balance.chain, balance.token)], DUST_NOTE)
