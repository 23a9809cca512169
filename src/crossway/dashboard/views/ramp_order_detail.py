"""The page of one ramp order: its progress, details, timeline and fiat postings."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from crossway.dashboard.views import ramp_bridge, ramp_status_labels
from crossway.dashboard.views.cells import Cell, Color, Detail, Step, TimelineEntry
from crossway.dashboard.views.fiat import country_name, format_fee_share, format_fiat, format_rate
from crossway.dashboard.views.formatting import (
    address_cell,
    chain_name,
    format_amount,
    format_usd,
    to_millis,
    tx_cell,
)
from crossway.dashboard.views.marks import mark_provider
from crossway.dashboard.views.payment_steps import with_awaited
from crossway.domain.catalogue import Catalogue
from crossway.domain.clients import Principal
from crossway.domain.fiat import Fiat
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Posting, is_fiat
from crossway.domain.money import format_units
from crossway.domain.public_ids import RecordKind
from crossway.domain.ramps import Direction, OrderState, RampOrder, provider_name
from crossway.ports.ramp_repository import OrderFilter, OrderTransition
from crossway.ports.services import Services
from crossway.usecases.kyc import customers
from crossway.usecases.kyc.checks import find_check_of_order
from crossway.usecases.payments.timeline import IntentTimeline, get_timeline
from crossway.usecases.public_numbers import ids_of
from crossway.usecases.ramp_provider_calls import find_channel, find_ramp_token
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.ramps.export_rows import user_chain

S = OrderState
STATE_COLORS: dict[OrderState, Color] = {
    s: badge.color for s, badge in ramp_status_labels.STATES.items()
}
_HAPPY_PATH = (S.PENDING, S.INITIATED, S.PROCESSING, S.COMPLETED)
_PERSONAL_FIELDS = frozenset({"encrypted_fields", "customer_id", "instructions"})


@dataclass(frozen=True, slots=True)
class OrderDetail:
    """One order with its related records; `person` is the masked e-mail address, `channel` and
    `provider` are display names, `payment` has the records of its intent, and `postings` are the
    fiat postings only. `check_id` is the customer's identity check with the provider."""

    order: RampOrder
    provider: str
    channel: str
    person: str
    payment: IntentTimeline | None
    moves: list[OrderTransition]
    postings: list[tuple[datetime, Posting]]
    ramp_amount: str
    check_id: int | None = None

    @property
    def intent(self) -> Intent | None:
        """The intent of the order; None before an off-ramp is accepted."""
        return None if self.payment is None else self.payment.intent

    @property
    def bridged(self) -> IntentTimeline | None:
        """The payment, where a bridge carries it."""
        is_bridged = self.payment is not None and bool(self.payment.intent.terms.bridge)
        return self.payment if is_bridged else None


def search_orders(services: Services, caller: Principal, text: str) -> list[RampOrder]:
    """The orders that match an id, a reference, an address or a transaction, in either mode."""
    text, caller = text.strip(), replace(caller, mode=None)
    return ramp_orders.list_orders(services, caller, OrderFilter(text=text), 2) if text else []


def load_order_detail(services: Services, caller: Principal, order_id: int) -> OrderDetail:
    """All records of one order; raises `NotFound`."""
    order = ramp_orders.get_order(services, caller, order_id)
    payment, postings = None, []
    if order.intent_id is not None:
        payment = get_timeline(services, caller, order.intent_id)
        with services.store.read() as unit:
            postings = [
                posting
                for posting in unit.ledger.list_by_intent(order.intent_id)
                if is_fiat(posting[1].chain)
            ]
    channel, token = find_channel(services, order), find_ramp_token(services, order)
    units = order.ramp_units
    return OrderDetail(
        order=order,
        provider=provider_name(order.provider),
        channel=channel.name if channel else order.channel,
        person=customers.get_masked_email(services, order.customer_id),
        payment=payment,
        moves=ramp_orders.list_order_history(services, caller, order_id),
        postings=postings,
        ramp_amount=format_amount(units, token.decimals, token.symbol)
        if token
        else f"{units:,} units",
        check_id=find_check_of_order(services, order.customer_id, order.provider, order.country),
    )


def state_entry_times(moves: Sequence[OrderTransition]) -> dict[OrderState, int]:
    """The time each state was entered, in epoch milliseconds."""
    return {m.to_state: to_millis(m.at) for m in moves if m.from_state is not m.to_state}


def build_steps(detail: OrderDetail, awaited: Step | None = None) -> tuple[Step, ...]:
    """The steps of this order: completed, current and upcoming; `awaited` is the step by which the
    inventory of its payout arrives, if it has to."""
    order = detail.order
    entered_at = state_entry_times(detail.moves) | {S.PENDING: to_millis(order.created_at)}
    if order.state in _HAPPY_PATH:
        usual = _happy_path_steps(detail, entered_at)
        if awaited is None or order.state not in (S.PROCESSING, S.COMPLETED):
            return usual
        return with_awaited(usual, awaited, before=len(usual) - 1)
    steps = [Step("Created", "done", entered_at[S.PENDING])]
    if S.INITIATED in entered_at:
        steps.append(Step("Accepted", "done", entered_at[S.INITIATED]))
    if S.PROCESSING in entered_at:
        steps.append(Step("Paid", "done", entered_at[S.PROCESSING]))
    ended = S.FAILED if order.state is S.REFUNDED else order.state
    badge = ramp_status_labels.STATES[ended]
    final_step = Step(badge.text, "failed", entered_at.get(ended))
    if order.state is S.REFUNDED:
        return *steps, final_step, Step("Refunded", "done", entered_at.get(S.REFUNDED))
    owed = order.state is S.FAILED and order.paid_at is not None
    refund = (Step("Refund", "now", note="in progress"),) if owed else ()
    return *steps, final_step, *refund


def _happy_path_steps(detail: OrderDetail, entered_at: dict[OrderState, int]) -> tuple[Step, ...]:
    order = detail.order
    is_on_ramp = order.direction is Direction.ON
    current = _HAPPY_PATH.index(order.state)
    last = "Crypto delivered" if is_on_ramp else "Fiat paid out"
    waiting = (
        "Created",
        f"Requested from {detail.provider}",
        "Awaiting payment",
        "Delivery in progress",
    )
    if order.paid_at is None and order.state is S.PROCESSING:
        waiting = (*waiting[:3], "Confirming payment")
    done = ("Created", f"Accepted by {detail.provider}", "Paid", last)
    todo = ("Created", "Accepted", "Paid", last)
    steps = []
    for index, state in enumerate(_HAPPY_PATH):
        if index <= current:
            steps.append(Step(done[index], "done", entered_at.get(state)))
        elif index == current + 1:
            steps.append(Step(waiting[index], "now"))
        else:
            steps.append(Step(todo[index], "todo"))
    return tuple(steps)


def format_exchange(detail: OrderDetail) -> str:
    """The exchange as text: `41,250.00 NGN for 25.00 USDC`."""
    order = detail.order
    local = format_fiat(order.fiat_minor, order.digits, order.currency)
    crypto = format_amount(order.crypto_units, order.decimals, order.symbol)
    return f"{local} for {crypto}" if order.direction is Direction.ON else f"{crypto} for {local}"


def build_key_details(catalogue: Catalogue, fiat: Fiat, detail: OrderDetail) -> tuple[Detail, ...]:
    """The main details of an order, most frequently needed first."""
    order = detail.order
    is_on_ramp = order.direction is Direction.ON
    fiat_verb, crypto_verb = ("pays", "gets") if is_on_ramp else ("gets", "sells")
    chain = catalogue.chains.get(user_chain(order))
    local = format_fiat(order.fiat_minor, order.digits, order.currency)
    crypto = format_amount(order.crypto_units, order.decimals, order.symbol)
    bare = format_units(order.fiat_minor, order.digits, order.digits)
    money = Cell(
        local, sub=format_rate(order.rate_micro, order.currency), copy=bare, value_name="amount"
    )
    wallet = order.recipient if is_on_ramp else order.sender
    fees = Cell(
        format_fiat(order.fees_minor, order.digits, order.currency),
        sub=f"{format_fee_share(order.fees_minor, order.fiat_minor)}, "
        f"{format_usd(order.fees_micro_usd)}",
    )
    provider = Cell(detail.provider, sub=detail.channel, marks=mark_provider(order.provider))
    details = [
        Detail(f"Customer {fiat_verb}", money),
        Detail(f"Customer {crypto_verb}", Cell(crypto, sub=_format_deposit(order))),
        Detail("Total fees", fees),
        Detail("Provider", provider),
        Detail("Customer", Cell(detail.person or "–", sub=country_name(fiat, order.country))),
        Detail("Recipient" if is_on_ramp else "Sender", address_cell(chain, wallet, "wallet")),
        Detail("Route", Cell(_format_route(catalogue, order))),
        Detail("Created", Cell(at=to_millis(order.created_at), as_="exact")),
    ]
    if order.state in (S.PENDING, S.INITIATED):
        details.append(Detail("Pay by", Cell(at=to_millis(order.expires_at), as_="exact")))
    if order.completed_at is not None:
        details.append(Detail("Completed", Cell(at=to_millis(order.completed_at), as_="exact")))
    if order.failure_reason:
        reason = ramp_status_labels.with_provider_name(order, order.failure_reason)
        details.append(Detail("Reason", Cell(reason)))
    return tuple(details)


def _format_route(catalogue: Catalogue, order: RampOrder) -> str:
    source = chain_name(catalogue, order.source_chain)
    if order.source_chain == order.destination_chain:
        return source
    return f"{source} → {chain_name(catalogue, order.destination_chain)}"


def _format_deposit(order: RampOrder) -> str:
    if order.direction is Direction.ON or not order.gross_units:
        return ""
    return (
        f"deposits {format_amount(order.gross_units, order.decimals, order.symbol)}, fees included"
    )


def build_technical_details(services: Services, detail: OrderDetail) -> tuple[Detail, ...]:
    """Technical details for developers and support."""
    order, catalogue = detail.order, services.catalogue
    number = str(ids_of(services).encode(RecordKind.ORDER, order.id))
    chain = catalogue.chains.get(order.ramp_chain)
    address = catalogue.chains.get(order.source_chain)
    delivers = "Provider delivers" if order.direction is Direction.ON else "Provider receives"
    return (
        Detail("ID in the API", Cell(number, copy=number, value_name="ID")),
        Detail("Provider's reference", _reference_cell(order.provider_reference)),
        Detail("Crossway's reference", _reference_cell(order.reference)),
        Detail("Deposit address", address_cell(address, order.intent_address, "deposit address")),
        Detail(delivers, Cell(detail.ramp_amount, sub=chain_name(catalogue, order.ramp_chain))),
        Detail("Provider's transaction", tx_cell(chain, order.provider_tx)),
        Detail("Provider's fee", Cell(format_fiat(order.fee_minor, order.digits, order.currency))),
        Detail("Merchant", Cell(order.client_id, sub=f"{order.mode} mode")),
    )


def _reference_cell(text: str) -> Cell:
    return Cell(text or "–", copy=text, value_name="reference", mono=bool(text))


def build_timeline(catalogue: Catalogue, detail: OrderDetail) -> tuple[TimelineEntry, ...]:
    """Timeline entries, newest first, each with its raw record; with those of the bridge."""
    entries = [_entry(detail.order, transition) for transition in detail.moves]
    if detail.bridged is not None:
        entries += ramp_bridge.build_entries(catalogue, detail.bridged)
    return tuple(sorted(entries, key=lambda entry: entry.at)[::-1])


def describe_next_action(detail: OrderDetail) -> tuple[str, datetime | None]:
    """Who acts next and how, as a sentence, and until when; while the crypto is on its way, that of
    its payment."""
    order, payment = detail.order, detail.payment
    if order.state in (S.PENDING, S.INITIATED):
        return ramp_status_labels.describe_next_actor(order), order.expires_at
    if payment is not None and _is_payments_turn(order, payment.intent):
        return payment.next_action, payment.next_action_due_at
    return ramp_status_labels.describe_next_actor(order), None


def _is_payments_turn(order: RampOrder, intent: Intent) -> bool:
    if order.state is S.PROCESSING:
        return intent.state in (State.FUNDED, State.INITIATED, State.FAILED)
    # What a failed order returns goes to the customer of an off-ramp, and else to the provider.
    return order.state is S.FAILED and intent.state is State.FAILED


def _entry(order: RampOrder, transition: OrderTransition) -> TimelineEntry:
    title, icon = ramp_status_labels.describe_event(transition.event)
    note = (
        ""
        if transition.note.rstrip(".") == title
        else ramp_status_labels.with_provider_name(order, transition.note)
    )
    return TimelineEntry(
        key=transition.id,
        title=title,
        at=to_millis(transition.at),
        note=note,
        icon=icon,
        color=STATE_COLORS[transition.to_state],
        raw=json.dumps(asdict(transition), indent=2, default=str, ensure_ascii=False),
    )


def to_raw_json(order: RampOrder) -> str:
    """The stored order as JSON, without personal data."""
    fields = {name: value for name, value in asdict(order).items() if name not in _PERSONAL_FIELDS}
    return json.dumps(fields, indent=2, default=str, ensure_ascii=False)
