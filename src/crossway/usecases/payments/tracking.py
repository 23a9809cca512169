"""The whole story of one intent: what happened, what it owes, who acts next and by when."""

from dataclasses import dataclass, field
from datetime import datetime

from crossway.domain.clients import Caller
from crossway.domain.deposits import Deposit, DepositState
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Posting
from crossway.domain.money import format_units, micro_usd_up
from crossway.domain.quotes import bridge_title
from crossway.domain.transfers import OPEN, Duty, Transfer, TransferState
from crossway.domain.webhooks import Announcement, Delivery
from crossway.ports.finding_records import Note
from crossway.ports.logs import AskedRequest, RequestFilter
from crossway.ports.records import Attempt, MoveRecord
from crossway.ports.services import Services
from crossway.ports.webhook_records import DeliveryFilter
from crossway.usecases.payments.intents import by_id
from crossway.usecases.payments.lifecycle import is_dust

MOST_AROUND = 50
_CALLED = {
    Duty.START: "start",
    Duty.FILL: "payout",
    Duty.RETURN_EXCESS: "return of what does not belong here",
    Duty.REIMBURSE: "repayment",
    Duty.REFUND: "refund",
}


@dataclass(frozen=True, slots=True)
class Story:
    """One intent with all that belongs to it; `by_when` is None where nobody waits for a time."""

    intent: Intent
    deposits: list[Deposit]
    transfers: list[Transfer]
    attempts: list[Attempt]
    moves: list[MoveRecord]
    postings: list[tuple[datetime, Posting]]
    who_acts: str
    by_when: datetime | None
    notes: list[Note] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Around:
    """What clients were told of one intent, and what they asked about it; newest first."""

    told: list[tuple[Delivery, Announcement]]
    asked: list[AskedRequest]


@dataclass(frozen=True, slots=True)
class WayOut:
    """What it costs to send the money back now: the network's fee, which the relayer pays, in units
    of the chain's native coin and in micro-USD, None where there is no price."""

    chain: str
    fee_units: int
    fee_micro_usd: int | None
    worth_micro_usd: int
    dust: bool


def story(services: Services, caller: Caller, intent_id: int) -> Story:
    """Everything about one intent; raises `NotFound`."""
    intent = by_id(services, caller, intent_id)
    with services.store.read() as unit:
        deposits = unit.deposits.of([intent_id])
        transfers = unit.transfers.of([intent_id])
        attempts = unit.transfers.attempts([t.id for t in transfers])
        moves = unit.intents.moves([intent_id])
        postings = unit.books.of(intent_id)
        notes = unit.desk.notes(f"intent:{intent_id}")
    who, when = next_step(services, intent, deposits, transfers)
    return Story(intent, deposits, transfers, attempts, moves, postings, who, when, notes)


def around(services: Services, caller: Caller, intent_id: int) -> Around:
    """The webhooks and the requests that were about one intent; raises `NotFound`."""
    intent = by_id(services, caller, intent_id)
    about = DeliveryFilter(client_id=_own(caller), about=("intent", intent.id))
    asked = RequestFilter(client_id=_own(caller), intent_id=intent.id)
    with services.store.read() as unit:
        return Around(
            unit.deliveries.page(about, MOST_AROUND), unit.requests.page(asked, MOST_AROUND)
        )


def way_out(services: Services, intent: Intent) -> WayOut | None:
    """What it costs to give back what an intent holds, by what its chain asks at this moment; None
    where it holds nothing. Raises `Unreachable`."""
    if intent.held_units <= 0:
        return None
    terms = intent.terms
    chain = services.catalogue.chains[terms.source_chain]
    fee = services.chains[chain.id].fee_units()
    price = services.prices.usd([chain.native_symbol]).get(chain.native_symbol)
    cost = None
    if price is not None:
        cost = micro_usd_up(fee, chain.native_decimals, price.pico_usd)
    worth = intent.held_units * intent.costs.total_micro_usd // terms.total_units
    dust = is_dust(services, intent, terms.token_in, chain.id, intent.held_units)
    return WayOut(chain.id, fee, cost, worth, dust)


def _own(caller: Caller) -> str | None:
    return None if caller.operator else caller.client.id


def next_step(
    services: Services, intent: Intent, deposits: list[Deposit], transfers: list[Transfer]
) -> tuple[str, datetime | None]:
    """Who acts next in words, and by when."""
    failed = [t for t in transfers if t.state is TransferState.FAILED and _needs_person(t, intent)]
    if failed:
        what = _CALLED[failed[0].duty]
        return f"An operator: the {what} failed: {failed[0].reason}.", None
    waiting = [t for t in transfers if t.state in OPEN]
    match intent.state:
        case State.PENDING:
            return _payer(services, intent, deposits), intent.terms.expires_at
        case State.FUNDED if any(t.state is TransferState.FAILED for t in transfers):
            what = "Crossway: sends the money back when the payment expires; the start failed."
            return what, intent.terms.expires_at
        case State.FUNDED:
            reason = next((t.reason for t in waiting if t.reason), "")
            return f"Crossway: collects the deposit. {reason}".strip(), intent.terms.expires_at
        case State.INITIATED:
            reason = next((t.reason for t in waiting if t.reason), "")
            return f"Crossway: pays the recipient. {reason}".strip(), None
    if any(t.duty is Duty.REFUND for t in waiting):
        return "Crossway: sends the money back.", None
    if any(t.duty is Duty.RETURN_EXCESS for t in waiting):
        return "Crossway: gives back what was too much.", None
    reimbursing = [t for t in waiting if t.duty is Duty.REIMBURSE]
    if reimbursing:
        named = intent.terms.bridge
        bridge = bridge_title(named) if named else "the collecting account"
        return f"Nobody; {bridge} still owes the relayer its repayment.", reimbursing[0].next_at
    return "Nobody: this payment is finished.", None


def _needs_person(failed: Transfer, intent: Intent) -> bool:
    """Whether a failed transfer waits for an operator: one to the payer always does; without a
    start or a fill the money goes back by itself, unless the recipient has been paid."""
    if failed.duty in (Duty.REFUND, Duty.RETURN_EXCESS):
        return True
    return failed.duty is Duty.START and intent.state in (State.INITIATED, State.COMPLETED)


def _payer(services: Services, intent: Intent, deposits: list[Deposit]) -> str:
    chain = services.catalogue.chains[intent.terms.source_chain]
    if any(d.state is DepositState.SEEN for d in deposits):
        return f"Nobody: a deposit was seen and waits for confirmations on {chain.name}."
    short = intent.terms.total_units - intent.received_units
    amount = f"{format_units(short, intent.asset_decimals)} {intent.asset_symbol}"
    more = "another " if intent.received_units else ""
    hint = " On test networks, then check for the deposit." if chain.testnet else ""
    return f"The payer: sends {more}{amount} on {chain.name}.{hint}"
