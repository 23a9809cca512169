"""Credit confirmed deposits, and reverse those that a reorg removed."""

from collections.abc import Sequence
from datetime import datetime

from crossway.domain.deposits import (
    Deposit,
    DepositPurpose,
    classify_deposit,
    event_for_deposit,
)
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.ledger import Account, AddressKey
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments import bridge_returns
from crossway.usecases.payments.dust import DUST_NOTE
from crossway.usecases.payments.lifecycle import IntentBatch, recovered_dust
from crossway.usecases.payments.returns import is_worth_returning, new_deposit_return

_PAYMENTS = (DepositPurpose.PAYMENT, DepositPurpose.OVERPAYMENT, DepositPurpose.LATE)
_OPEN = (State.PENDING, State.FUNDED)


def credit_deposits(
    unit: UnitOfWork, services: Services, deposits: Sequence[Deposit], now: datetime
) -> IntentBatch:
    """Credit confirmed deposits: post them to the ledger, change their intents, store the batch."""
    uncredited_ids = unit.deposits.lock_seen(deposits)
    batch = IntentBatch(services, now, unit.intents.lock({d.intent_id for d in deposits}))
    batch.balances.load(unit, map(_key, deposits))
    credited: list[tuple[int, DepositPurpose, str]] = []
    for deposit in deposits:
        if deposit.id in uncredited_ids and not bridge_returns.must_wait(unit, batch, deposit):
            purpose, note = _credit_deposit(unit, batch, deposit)
            credited.append((deposit.id, purpose, note))
    unit.deposits.credit(credited, now)
    batch.store(unit)
    return batch


def _credit_deposit(
    unit: UnitOfWork, batch: IntentBatch, deposit: Deposit
) -> tuple[DepositPurpose, str]:
    intent, incoming = batch.current[deposit.intent_id], deposit.incoming
    terms = intent.terms
    if bridge_returns.is_return(unit, batch, deposit):
        return bridge_returns.credit(unit, batch, deposit)
    purpose = classify_deposit(
        intent.state,
        terms.source_chain,
        terms.token_in,
        incoming.chain,
        incoming.token,
        incoming.amount,
    )
    if purpose is DepositPurpose.ZERO_VALUE:
        return purpose, "The transfer has an amount of zero; there is nothing to return."
    if purpose is DepositPurpose.OVERPAYMENT and intent.received_amount < terms.deposit_amount:
        # A reorg removed the original deposit after the start: this one pays the requested amount.
        purpose = DepositPurpose.PAYMENT
    location = (incoming.chain, incoming.token, incoming.tx_ref)
    # The balance is negative when an earlier outbound transaction already swept this deposit.
    already_swept = batch.balances.get(unit, _key(deposit)).held < 0
    batch.add_postings(intent.id, *location, (Account.HELD, Account.PAYER, incoming.amount))
    balance = batch.balances.get(unit, _key(deposit))
    note = ""
    if (
        not already_swept
        and intent.state not in _OPEN
        and not is_worth_returning(batch, intent, balance)
    ):
        batch.add_postings(intent.id, *location, (Account.DUST, Account.HELD, incoming.amount))
        note = DUST_NOTE
    elif purpose in _PAYMENTS:
        _credit_payment(batch, intent, deposit, purpose)
    elif already_swept:
        note = "An earlier transaction already sent it back."
    elif intent.state not in _OPEN:
        batch.outbound.append(new_deposit_return(intent, deposit, batch.now))
    return purpose, note


def _key(deposit: Deposit) -> AddressKey:
    return deposit.intent_id, deposit.incoming.chain, deposit.incoming.token


def _credit_payment(
    batch: IntentBatch, intent: Intent, deposit: Deposit, purpose: DepositPurpose
) -> None:
    amount = deposit.incoming.amount
    received = intent.received_amount + (amount if purpose is DepositPurpose.PAYMENT else 0)
    event = event_for_deposit(intent.state, intent.terms.deposit_amount, received)
    if purpose is DepositPurpose.PAYMENT and intent.state not in _OPEN:
        event = IntentEvent.LEDGER_ONLY
    batch.apply_event(
        intent.id,
        event,
        f"deposit:{deposit.id}",
        note=deposit.incoming.tx_hash,
        received_amount=received,
        balance_at_address=intent.balance_at_address + amount,
    )


def reverse_deposits(
    unit: UnitOfWork, services: Services, deposits: Sequence[Deposit], now: datetime, note: str
) -> IntentBatch:
    """Reverse deposits that a reorg removed: ledger, amounts and, before a start, the state."""
    batch = IntentBatch(services, now, unit.intents.lock({d.intent_id for d in deposits}))
    batch.balances.load(unit, map(_key, deposits))
    for deposit in deposits:
        if deposit.purpose is DepositPurpose.BRIDGE_RETURN:
            bridge_returns.reverse(unit, batch, deposit, note)
        elif deposit.purpose is not None and deposit.purpose is not DepositPurpose.ZERO_VALUE:
            _reverse_deposit(unit, batch, deposit, note)
    unit.deposits.mark_orphaned([d.id for d in deposits], note)
    batch.store(unit)
    return batch


def _reverse_deposit(unit: UnitOfWork, batch: IntentBatch, deposit: Deposit, note: str) -> None:
    intent, incoming = batch.current[deposit.intent_id], deposit.incoming
    location = (incoming.chain, incoming.token, incoming.tx_ref)
    batch.add_postings(intent.id, *location, (Account.PAYER, Account.HELD, incoming.amount))
    # Where it was kept as dust, that is what is gone.
    if dust := recovered_dust(unit, batch, _key(deposit)):
        batch.add_postings(intent.id, *location, (Account.HELD, Account.DUST, dust))
    if deposit.purpose not in _PAYMENTS:
        return
    is_payment = deposit.purpose is DepositPurpose.PAYMENT
    received = intent.received_amount - (incoming.amount if is_payment else 0)
    underfunded = intent.state is State.PENDING or received < intent.terms.deposit_amount
    reverses_state = is_payment and intent.state in _OPEN and underfunded
    batch.apply_event(
        intent.id,
        IntentEvent.DEPOSIT_REVERSED if reverses_state else IntentEvent.LEDGER_ONLY,
        "",
        note,
        received_amount=received,
        balance_at_address=batch.balances.get(unit, _key(deposit)).held,
    )
