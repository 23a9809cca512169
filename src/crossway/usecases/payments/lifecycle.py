"""How events change intents: states, duties and postings of one step, stored together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from crossway.domain.deposits import Deposit, Incoming, Purpose, event_of, purpose_of
from crossway.domain.intent import Event, Intent, State, advance
from crossway.domain.ledger import Account, Leg, Posting, balances
from crossway.domain.money import micro_usd_down
from crossway.domain.transfers import Duty
from crossway.ports.records import Change, Owed
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.operating import flows

_PAYMENTS = (Purpose.PAYMENT, Purpose.EXTRA, Purpose.LATE)
_OPEN = (State.PENDING, State.FUNDED)
KEPT = "Kept: it is worth less than the network's fee for sending it back."


@dataclass
class Step:
    """What one transaction is going to store: changes in order, and all that follows from them."""

    services: Services
    now: datetime
    current: dict[int, Intent]
    changes: list[Change] = field(default_factory=list)
    owed: list[Owed] = field(default_factory=list)
    postings: list[Posting] = field(default_factory=list)

    def move(
        self, intent_id: int, event: Event, cause: str, note: str = "", **facts: Any
    ) -> Intent:
        """Apply an event to an intent by the table; its duties are owed for this cause."""
        before = self.current[intent_id]
        move = advance(before.state, event)
        after = replace(before, state=move.to, updated_at=self.now, **facts)
        self.current[intent_id] = after
        self.changes.append(Change(before, after, event, move, note))
        for duty in move.duties:
            self.owed.append(owed(self.services, after, duty, cause, self.now))
        return after

    def post(self, intent: Intent, chain: str, token: str, tx: str, *legs: Leg) -> None:
        """Book movements of one token that one transaction made."""
        for debit, credit, units in legs:
            self.postings.append(Posting(intent.id, chain, token, debit, credit, units, tx))

    def store(self, unit: Unit) -> None:
        """Write all of it; the unit of work makes it one transaction. A ramp order whose intent
        has changed is looked at anew."""
        unit.intents.apply(self.changes)
        unit.orders.wake({o for c in self.changes if (o := c.after.order_id) is not None}, self.now)
        unit.transfers.owe(self.owed, self.now)
        unit.books.post(self.postings, self.now)
        flows.count(unit, self.changes, self.now)


def owed(services: Services, intent: Intent, duty: Duty, cause: str, now: datetime) -> Owed:
    """A duty of an intent as the transfer that pays it."""
    terms = intent.terms
    own = services.chains[terms.source_chain].own
    chain, token, units, to, due = terms.source_chain, terms.token_in, None, "", now
    match duty:
        case Duty.START:
            cause, units, to = "start", terms.total_units, own.bridger
        case Duty.FILL:
            cause, chain, token = "fill", terms.destination_chain, terms.token_out
            units, to = terms.out_units, terms.recipient
        case Duty.REIMBURSE:
            cause, units, to = "reimburse", terms.total_units, own.relayer
            due = now + timedelta(seconds=intent.settle_seconds)
        case Duty.REFUND:
            failed = intent.state is State.FAILED
            cause, to = "failed" if failed else "expiry", terms.refund_address
            units = terms.total_units if failed else None
        case Duty.RETURN_EXCESS:
            to = terms.refund_address
    return Owed(intent.id, duty, cause, chain, token, units, to, due)


def credit(unit: Unit, services: Services, deposits: Sequence[Deposit], now: datetime) -> Step:
    """Put deposits that are deep enough into the books and move their intents; stores all."""
    still_seen = unit.deposits.lock_seen([d.id for d in deposits])
    step = Step(services, now, unit.intents.lock({d.intent_id for d in deposits}))
    credited: list[tuple[int, Purpose, str]] = []
    for deposit in deposits:
        if deposit.id in still_seen:
            purpose, note = _credit_one(unit, step, deposit)
            credited.append((deposit.id, purpose, note))
    unit.deposits.credit(credited, now)
    step.store(unit)
    return step


def _credit_one(unit: Unit, step: Step, deposit: Deposit) -> tuple[Purpose, str]:
    intent, incoming = step.current[deposit.intent_id], deposit.incoming
    terms = intent.terms
    purpose = purpose_of(
        intent.state, terms.source_chain, terms.token_in,
        incoming.chain, incoming.token, incoming.units,
    )  # fmt: skip
    if purpose is Purpose.NOTHING:
        return purpose, "A transfer of zero moves no money; nothing to give back."
    if purpose is Purpose.EXTRA and intent.received_units < terms.total_units:
        # A reorganisation took it away under a payment that was started: it is what was asked for.
        purpose = Purpose.PAYMENT
    own = purpose in _PAYMENTS
    before = intent.held_units if own else held_in_books(unit, step, intent.id, deposit.incoming)
    place = (incoming.chain, incoming.token, incoming.place)
    step.post(intent, *place, (Account.HELD, Account.PAYER, incoming.units))
    # Less than nothing is held when an earlier transfer took this deposit along.
    gone = before < 0
    note = "" if gone or intent.state in _OPEN else _dust_note(step.services, intent, deposit)
    if note:
        step.post(intent, *place, (Account.KEPT, Account.HELD, incoming.units))
    elif own:
        _credit_payment(step, intent, deposit, purpose)
    elif gone:
        note = "It went back with an earlier transfer."
    elif intent.state not in _OPEN:
        step.owed.append(foreign_return(intent, deposit, step.now))
    return purpose, note


def held_in_books(unit: Unit, step: Step, intent_id: int, of: Incoming) -> int:
    """Units that the books say lie at an intent's address, of the token and chain of a deposit."""
    return in_books(unit, step.postings, intent_id, of.chain, of.token)[Account.HELD]


def in_books(
    unit: Unit, coming: Iterable[Posting], intent_id: int, chain: str, token: str
) -> dict[Account, int]:
    """Net units of one intent's accounts, together with postings that are about to be stored."""
    posted = [posting for _, posting in unit.books.of(intent_id)]
    posted += [posting for posting in coming if posting.intent_id == intent_id]
    net = balances(posted)
    return {account: net.get((account, chain, token), 0) for account in Account}


def kept_back(
    unit: Unit, step: Step, intent_id: int, place: tuple[str, str], held_units: int
) -> int:
    """How many units that were kept as dust are not there any more: more left an address than
    was held there, so it took them along."""
    if held_units >= 0:
        return 0
    return min(-held_units, in_books(unit, step.postings, intent_id, *place)[Account.KEPT])


def _credit_payment(step: Step, intent: Intent, deposit: Deposit, purpose: Purpose) -> None:
    units = deposit.incoming.units
    received = intent.received_units + (units if purpose is Purpose.PAYMENT else 0)
    event = event_of(intent.state, intent.terms.total_units, received)
    if purpose is Purpose.PAYMENT and intent.state not in _OPEN:
        event = Event.BOOKED
    step.move(
        intent.id,
        event,
        f"deposit:{deposit.id}",
        note=deposit.incoming.tx_hash,
        received_units=received,
        held_units=intent.held_units + units,
    )


def foreign_return(intent: Intent, deposit: Deposit, now: datetime) -> Owed:
    """Money of another token or on another chain, owed back to the refund address."""
    incoming = deposit.incoming
    return Owed(
        intent_id=intent.id,
        duty=Duty.RETURN_EXCESS,
        cause=f"deposit:{deposit.id}",
        chain=incoming.chain,
        token=incoming.token,
        units=None,
        to_address=intent.terms.refund_address,
        next_at=now,
    )


def return_foreign(unit: Unit, step: Step, intent_ids: Iterable[int]) -> None:
    """Owe back what foreign money these intents hold; called when they start or end."""
    for deposit in unit.deposits.open_foreign(list(intent_ids)):
        intent = step.current[deposit.intent_id]
        note = _dust_note(step.services, intent, deposit)
        if not note:
            step.owed.append(foreign_return(intent, deposit, step.now))
            continue
        incoming = deposit.incoming
        unit.deposits.close_foreign([deposit.id], note)
        place = (incoming.chain, incoming.token, incoming.place)
        step.post(intent, *place, (Account.KEPT, Account.HELD, incoming.units))


def worth_micro_usd(
    services: Services, intent: Intent, token: str, chain: str, units: int
) -> int | None:
    """What an amount is worth: by the intent's own terms for its token, else by today's price."""
    terms = intent.terms
    if (chain, token) == (terms.source_chain, terms.token_in):
        return units * intent.costs.total_micro_usd // terms.total_units
    known = services.catalogue.by_address.get((chain, token))
    price = services.prices.usd([known.symbol]).get(known.symbol) if known else None
    return (
        None
        if known is None or price is None
        else micro_usd_down(units, known.decimals, price.pico_usd)
    )


def is_dust(services: Services, intent: Intent, token: str, chain: str, units: int) -> bool:
    """Whether giving this back costs more than it is worth; money of unknown worth is not dust."""
    worth = worth_micro_usd(services, intent, token, chain, units)
    cost = services.catalogue.chains[chain].transfer_cost_micro_usd * services.policy.dust_factor
    return worth is not None and worth < cost


def _dust_note(services: Services, intent: Intent, deposit: Deposit) -> str:
    incoming = deposit.incoming
    if not is_dust(services, intent, incoming.token, incoming.chain, incoming.units):
        return ""
    return KEPT


def reverse_deposits(
    unit: Unit, services: Services, deposits: Sequence[Deposit], now: datetime, note: str
) -> Step:
    """Take back what a reorganisation took away: books, amounts and, before a start, the state."""
    step = Step(services, now, unit.intents.lock({d.intent_id for d in deposits}))
    for deposit in deposits:
        if deposit.purpose is not None and deposit.purpose is not Purpose.NOTHING:
            _reverse_one(unit, step, deposit, note)
    unit.deposits.orphan([d.id for d in deposits], note)
    step.store(unit)
    return step


def _reverse_one(unit: Unit, step: Step, deposit: Deposit, note: str) -> None:
    intent, incoming = step.current[deposit.intent_id], deposit.incoming
    booked = unit.books.of_tx([intent.id], {incoming.place})
    step.postings.extend(posting.reversed() for posting in booked)
    if deposit.purpose not in _PAYMENTS:
        return
    paid = deposit.purpose is Purpose.PAYMENT
    received = intent.received_units - (incoming.units if paid else 0)
    held = intent.held_units - held_by(booked)
    place = (incoming.chain, incoming.token)
    back = kept_back(unit, step, intent.id, place, held)
    if back:
        step.post(intent, *place, incoming.place, (Account.HELD, Account.KEPT, back))
    short = intent.state is State.PENDING or received < intent.terms.total_units
    undoes = paid and intent.state in _OPEN and short
    step.move(
        intent.id,
        Event.DEPOSIT_REVERSED if undoes else Event.BOOKED,
        "",
        note,
        received_units=received,
        held_units=held + back,
    )


def held_by(postings: Iterable[Posting]) -> int:
    """By how much these movements together changed what is held."""
    return sum(
        posting.units * ((posting.debit is Account.HELD) - (posting.credit is Account.HELD))
        for posting in postings
    )
