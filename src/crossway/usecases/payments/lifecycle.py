"""Apply events to intents: state changes, outbound transactions and ledger postings as a batch."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from crossway.domain.deposits import (
    Deposit,
    DepositPurpose,
    classify_deposit,
    event_for_deposit,
)
from crossway.domain.intent import Intent, IntentEvent, State, advance
from crossway.domain.ledger import Account, Leg, Posting, balances
from crossway.domain.outbound import OutboundTxKind
from crossway.ports.records import IntentChange, NewOutboundTx
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments import corridor_stats
from crossway.usecases.payments.dust import dust_note

_PAYMENTS = (DepositPurpose.PAYMENT, DepositPurpose.OVERPAYMENT, DepositPurpose.LATE)
_OPEN = (State.PENDING, State.FUNDED)


@dataclass
class IntentBatch:
    """Changes to locked intents that one database transaction stores, with what follows from them:
    outbound transactions and ledger postings. `current` holds the intents as changed so far."""

    services: Services
    now: datetime
    current: dict[int, Intent]
    changes: list[IntentChange] = field(default_factory=list)
    outbound: list[NewOutboundTx] = field(default_factory=list)
    postings: list[Posting] = field(default_factory=list)

    def apply_event(
        self, intent_id: int, event: IntentEvent, cause: str, note: str = "", **fields: Any
    ) -> Intent:
        """Apply an event to an intent by the transition table, and enqueue the outbound
        transactions that the transition requires. `cause` makes each of them unique per intent;
        `fields` are fields of the intent to set. Raises `InvalidTransition`."""
        before = self.current[intent_id]
        transition = advance(before.state, event)
        after = replace(before, state=transition.to, updated_at=self.now, **fields)
        self.current[intent_id] = after
        self.changes.append(IntentChange(before, after, event, transition, note))
        for kind in transition.outbound:
            self.outbound.append(new_outbound_tx(self.services, after, kind, cause, self.now))
        return after

    def add_postings(self, intent: Intent, chain: str, token: str, tx: str, *legs: Leg) -> None:
        """Add ledger postings for one token, all made by transaction `tx`."""
        for debit, credit, units in legs:
            self.postings.append(Posting(intent.id, chain, token, debit, credit, units, tx))

    def store(self, unit: UnitOfWork) -> None:
        """Write the whole batch. Ramp orders whose intents changed become due for processing."""
        unit.intents.apply(self.changes)
        unit.orders.wake({o for c in self.changes if (o := c.after.order_id) is not None}, self.now)
        unit.outbound_txs.enqueue(self.outbound, self.now)
        unit.ledger.post(self.postings, self.now)
        corridor_stats.count(unit, self.changes, self.now)


def new_outbound_tx(
    services: Services, intent: Intent, kind: OutboundTxKind, cause: str, now: datetime
) -> NewOutboundTx:
    """The outbound transaction of a kind that an intent requires: amount, recipient, due time.

    An amount of None means the whole balance of the address when the transaction is signed.
    """
    terms = intent.terms
    accounts = services.chains[terms.source_chain].accounts
    chain, token, amount, to_address, due_at = terms.source_chain, terms.token_in, None, "", now
    match kind:
        case OutboundTxKind.START:
            cause, amount, to_address = "start", terms.deposit_amount, accounts.bridger
        case OutboundTxKind.FILL:
            cause, chain, token = "fill", terms.destination_chain, terms.token_out
            amount, to_address = terms.payout_amount, terms.recipient
        case OutboundTxKind.REIMBURSE:
            cause, amount, to_address = "reimburse", terms.deposit_amount, accounts.relayer
            due_at = now + timedelta(seconds=intent.settle_seconds)
        case OutboundTxKind.REFUND:
            failed = intent.state is State.FAILED
            cause, to_address = "failed" if failed else "expiry", terms.refund_address
            amount = terms.deposit_amount if failed else None
        case OutboundTxKind.RETURN_EXCESS:
            to_address = terms.refund_address
    return NewOutboundTx(intent.id, kind, cause, chain, token, amount, to_address, due_at)


def credit_deposits(
    unit: UnitOfWork, services: Services, deposits: Sequence[Deposit], now: datetime
) -> IntentBatch:
    """Credit confirmed deposits: post them to the ledger, change their intents, store the batch."""
    uncredited_ids = unit.deposits.lock_seen([d.id for d in deposits])
    batch = IntentBatch(services, now, unit.intents.lock({d.intent_id for d in deposits}))
    credited: list[tuple[int, DepositPurpose, str]] = []
    for deposit in deposits:
        if deposit.id in uncredited_ids:
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
    is_payment = purpose in _PAYMENTS
    balance = (
        intent.balance_at_address
        if is_payment
        else ledger_balance_at_address(unit, batch, intent.id, incoming.chain, incoming.token)
    )
    location = (incoming.chain, incoming.token, incoming.tx_ref)
    batch.add_postings(intent, *location, (Account.HELD, Account.PAYER, incoming.amount))
    # The balance is negative when an earlier outbound transaction already swept this deposit.
    already_swept = balance < 0
    note = (
        "" if already_swept or intent.state in _OPEN else dust_note(batch.services, intent, deposit)
    )
    if note:
        batch.add_postings(intent, *location, (Account.DUST, Account.HELD, incoming.amount))
    elif is_payment:
        _credit_payment(batch, intent, deposit, purpose)
    elif already_swept:
        note = "An earlier transaction already sent it back."
    elif intent.state not in _OPEN:
        batch.outbound.append(new_deposit_return(intent, deposit, batch.now))
    return purpose, note


def ledger_balance_at_address(
    unit: UnitOfWork, batch: IntentBatch, intent_id: int, chain: str, token: str
) -> int:
    """The amount of a token that, by the ledger, is at an intent's address on a chain."""
    return ledger_balances(unit, batch.postings, intent_id, chain, token)[Account.HELD]


def ledger_balances(
    unit: UnitOfWork, pending: Iterable[Posting], intent_id: int, chain: str, token: str
) -> dict[Account, int]:
    """Net balances of one intent's accounts in one token, including postings not stored yet."""
    postings = [posting for _, posting in unit.ledger.list_by_intent(intent_id)]
    postings += [posting for posting in pending if posting.intent_id == intent_id]
    net = balances(postings)
    return {account: net.get((account, chain, token), 0) for account in Account}


def recovered_dust(
    unit: UnitOfWork,
    batch: IntentBatch,
    intent_id: int,
    location: tuple[str, str],
    balance: int,
) -> int:
    """The amount booked as dust that has left the address again. A negative balance means that
    more left the address than was held there, so dust was swept with it."""
    if balance >= 0:
        return 0
    return min(-balance, ledger_balances(unit, batch.postings, intent_id, *location)[Account.DUST])


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


def new_deposit_return(intent: Intent, deposit: Deposit, now: datetime) -> NewOutboundTx:
    """The transaction that returns a wrong-token or wrong-chain deposit to the refund address."""
    incoming = deposit.incoming
    return NewOutboundTx(
        intent_id=intent.id,
        kind=OutboundTxKind.RETURN_EXCESS,
        cause=f"deposit:{deposit.id}",
        chain=incoming.chain,
        token=incoming.token,
        amount=None,
        to_address=intent.terms.refund_address,
        next_at=now,
    )


def enqueue_deposit_returns(
    unit: UnitOfWork, batch: IntentBatch, intent_ids: Iterable[int]
) -> None:
    """Enqueue the return of wrong-token and wrong-chain deposits of these intents, or book them as
    dust; called when an intent starts or ends."""
    for deposit in unit.deposits.list_unreturned(list(intent_ids)):
        intent = batch.current[deposit.intent_id]
        note = dust_note(batch.services, intent, deposit)
        if not note:
            batch.outbound.append(new_deposit_return(intent, deposit, batch.now))
            continue
        incoming = deposit.incoming
        unit.deposits.mark_returned([deposit.id], note)
        location = (incoming.chain, incoming.token, incoming.tx_ref)
        batch.add_postings(intent, *location, (Account.DUST, Account.HELD, incoming.amount))


def reverse_deposits(
    unit: UnitOfWork, services: Services, deposits: Sequence[Deposit], now: datetime, note: str
) -> IntentBatch:
    """Reverse deposits that a reorg removed: ledger, amounts and, before a start, the state."""
    batch = IntentBatch(services, now, unit.intents.lock({d.intent_id for d in deposits}))
    for deposit in deposits:
        if deposit.purpose is not None and deposit.purpose is not DepositPurpose.ZERO_VALUE:
            _reverse_deposit(unit, batch, deposit, note)
    unit.deposits.mark_orphaned([d.id for d in deposits], note)
    batch.store(unit)
    return batch


def _reverse_deposit(unit: UnitOfWork, batch: IntentBatch, deposit: Deposit, note: str) -> None:
    intent, incoming = batch.current[deposit.intent_id], deposit.incoming
    postings = unit.ledger.list_by_tx([intent.id], {incoming.tx_ref})
    batch.postings.extend(posting.reversed() for posting in postings)
    if deposit.purpose not in _PAYMENTS:
        return
    is_payment = deposit.purpose is DepositPurpose.PAYMENT
    received = intent.received_amount - (incoming.amount if is_payment else 0)
    balance = intent.balance_at_address - net_held(postings)
    location = (incoming.chain, incoming.token)
    dust = recovered_dust(unit, batch, intent.id, location, balance)
    if dust:
        batch.add_postings(intent, *location, incoming.tx_ref, (Account.HELD, Account.DUST, dust))
    underfunded = intent.state is State.PENDING or received < intent.terms.deposit_amount
    reverses_state = is_payment and intent.state in _OPEN and underfunded
    batch.apply_event(
        intent.id,
        IntentEvent.DEPOSIT_REVERSED if reverses_state else IntentEvent.LEDGER_ONLY,
        "",
        note,
        received_amount=received,
        balance_at_address=balance + dust,
    )


def net_held(postings: Iterable[Posting]) -> int:
    """The net change of the HELD account by these postings."""
    return sum(
        posting.amount * ((posting.debit is Account.HELD) - (posting.credit is Account.HELD))
        for posting in postings
    )
