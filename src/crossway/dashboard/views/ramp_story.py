"""One ramp order told: where it stands, what it is made of, what happened, its local money."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from crossway.dashboard.views import ramp_wording
from crossway.dashboard.views.cells import Cell, Color, Fact, Item, Step
from crossway.dashboard.views.fiat import country_name, fiat_amount, percent, rate
from crossway.dashboard.views.figures import (
    address_cell,
    amount,
    chain_name,
    millis,
    tx_cell,
    usd,
)
from crossway.dashboard.views.ramp_orders import user_chain
from crossway.domain.catalogue import Catalogue
from crossway.domain.clients import Caller
from crossway.domain.fiat import Fiat
from crossway.domain.intent import Intent
from crossway.domain.ledger import Posting, is_fiat
from crossway.domain.money import format_units
from crossway.domain.ramps import Direction, OrderState, RampOrder, provider_name
from crossway.ports.ramp_records import OrderFilter, OrderMove
from crossway.ports.services import Services
from crossway.usecases.identity import kyc
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.ramps.capabilities import channel_of, ramp_token

S = OrderState
COLORS: dict[OrderState, Color] = {s: chip.color for s, chip in ramp_wording.STATES.items()}
_USUAL = (S.PENDING, S.INITIATED, S.PROCESSING, S.COMPLETED)
_PERSONAL = frozenset({"sealed", "person_id", "instructions"})


@dataclass(frozen=True, slots=True)
class OrderStory:
    """One order with all that belongs to it; `person` is masked, `channel` and `provider` are
    names for people, `postings` its local money alone."""

    order: RampOrder
    provider: str
    channel: str
    person: str
    intent: Intent | None
    moves: list[OrderMove]
    postings: list[tuple[datetime, Posting]]
    ramp_amount: str


def sought(services: Services, caller: Caller, text: str) -> list[RampOrder]:
    """The orders that a number, a reference, an address or a transaction names."""
    text = text.strip()
    return ramp_orders.page(services, caller, OrderFilter(text=text), 2)[0] if text else []


def told(services: Services, caller: Caller, order_id: int) -> OrderStory:
    """Everything about one order; raises `NotFound`."""
    order = ramp_orders.by_id(services, caller, order_id)
    intent, postings = None, []
    if order.intent_id is not None:
        with services.store.read() as unit:
            intent = unit.intents.get(order.intent_id)
            postings = [one for one in unit.books.of(order.intent_id) if is_fiat(one[1].chain)]
    channel, token = channel_of(services, order), ramp_token(services, order)
    units = order.ramp_units
    return OrderStory(
        order=order,
        provider=provider_name(order.provider),
        channel=channel.name if channel else order.channel,
        person=kyc.email_of(services, order.person_id),
        intent=intent,
        moves=ramp_orders.history(services, caller, order_id),
        postings=postings,
        ramp_amount=amount(units, token.decimals, token.symbol) if token else f"{units:,} units",
    )


def reached(moves: Sequence[OrderMove]) -> dict[OrderState, int]:
    """When each state was entered, in epoch milliseconds."""
    return {m.to_state: millis(m.at) for m in moves if m.from_state is not m.to_state}


def steps(story: OrderStory) -> tuple[Step, ...]:
    """The steps of this order: those behind it, the one it is in, and those still to come."""
    order = story.order
    at = reached(story.moves) | {S.PENDING: millis(order.created_at)}
    if order.state in _USUAL:
        return _usual(story, at)
    begun = [Step("Created", "done", at[S.PENDING])]
    if S.INITIATED in at:
        begun.append(Step("Accepted", "done", at[S.INITIATED]))
    if S.PROCESSING in at:
        begun.append(Step("Paid", "done", at[S.PROCESSING]))
    ended = S.FAILED if order.state is S.REFUNDED else order.state
    chip = ramp_wording.STATES[ended]
    over = Step(chip.text, "failed", at.get(ended))
    if order.state is S.REFUNDED:
        return *begun, over, Step("Refunded", "done", at.get(S.REFUNDED))
    owed = order.state is S.FAILED and order.paid_at is not None
    back = (Step("Refund", "now", note="the user's money goes back"),) if owed else ()
    return *begun, over, *back


def _usual(story: OrderStory, at: dict[OrderState, int]) -> tuple[Step, ...]:
    order = story.order
    on = order.direction is Direction.ON
    place = _USUAL.index(order.state)
    last = "Crypto delivered" if on else "Local money paid out"
    waiting = ("Created", f"{story.provider} is asked", "Waiting for payment", "Being delivered")
    if order.paid_at is None and order.state is S.PROCESSING:
        waiting = (*waiting[:3], "Payment to be confirmed")
    done = ("Created", f"Accepted by {story.provider}", "Paid", last)
    todo = ("Created", "Accepted", "Paid", last)
    found = []
    for index, state in enumerate(_USUAL):
        if index <= place:
            found.append(Step(done[index], "done", at.get(state)))
        elif index == place + 1:
            found.append(Step(waiting[index], "now"))
        else:
            found.append(Step(todo[index], "todo"))
    return tuple(found)


def money_line(story: OrderStory) -> str:
    """What goes for what: `41,250.00 NGN for 25.00 USDC`."""
    order = story.order
    local = fiat_amount(order.fiat_minor, order.digits, order.currency)
    crypto = amount(order.crypto_units, order.decimals, order.symbol)
    return f"{local} for {crypto}" if order.direction is Direction.ON else f"{crypto} for {local}"


def key_facts(catalogue: Catalogue, fiat: Fiat, story: OrderStory) -> tuple[Fact, ...]:
    """What this order is, in the order in which people ask."""
    order = story.order
    on = order.direction is Direction.ON
    chain = catalogue.chains.get(user_chain(order))
    local = fiat_amount(order.fiat_minor, order.digits, order.currency)
    crypto = amount(order.crypto_units, order.decimals, order.symbol)
    bare = format_units(order.fiat_minor, order.digits, order.digits)
    money = Cell(local, sub=rate(order.rate_micro, order.currency), copy=bare, what="amount")
    wallet = order.recipient if on else order.sender
    way = f"{chain_name(catalogue, order.source_chain)} → "
    way += chain_name(catalogue, order.destination_chain)
    same = order.source_chain == order.destination_chain
    facts = [
        Fact("User pays" if on else "User gets", money),
        Fact("User gets" if on else "User sells", Cell(crypto, sub=_deposit(order))),
        Fact("All fees", Cell(
            fiat_amount(order.fees_minor, order.digits, order.currency),
            sub=f"{percent(order.fees_minor, order.fiat_minor)}, {usd(order.fees_micro_usd)}",
        )),
        Fact("Provider", Cell(story.provider, sub=story.channel)),
        Fact("Person", Cell(story.person or "–", sub=country_name(fiat, order.country))),
        Fact("Recipient" if on else "Sender", address_cell(chain, wallet, "wallet")),
        Fact("Way", Cell(chain_name(catalogue, order.source_chain) if same else way)),
        Fact("Created", Cell(at=millis(order.created_at), as_="exact")),
    ]  # fmt: skip
    if order.state in (S.PENDING, S.INITIATED):
        facts.append(Fact("To be paid until", Cell(at=millis(order.expires_at), as_="exact")))
    if order.completed_at is not None:
        facts.append(Fact("Completed", Cell(at=millis(order.completed_at), as_="exact")))
    if order.failure_reason:
        facts.append(Fact("Reason", Cell(ramp_wording.said(order, order.failure_reason))))
    return tuple(facts)


def _deposit(order: RampOrder) -> str:
    if order.direction is Direction.ON or not order.gross_units:
        return ""
    return f"deposits {amount(order.gross_units, order.decimals, order.symbol)}, fees included"


def detail_facts(catalogue: Catalogue, story: OrderStory) -> tuple[Fact, ...]:
    """What developers and support ask besides."""
    order = story.order
    chain = catalogue.chains.get(order.ramp_chain)
    address = catalogue.chains.get(order.source_chain)
    delivers = "Provider delivers" if order.direction is Direction.ON else "Provider takes"
    return (
        Fact("Number", Cell(str(order.id), copy=str(order.id), what="number")),
        Fact("Provider's reference", _copied(order.provider_reference)),
        Fact("Our reference", _copied(order.reference)),
        Fact("Intent address", address_cell(address, order.intent_address, "intent address")),
        Fact(delivers, Cell(story.ramp_amount, sub=chain_name(catalogue, order.ramp_chain))),
        Fact("Provider's transaction", tx_cell(chain, order.provider_tx)),
        Fact("Provider's fee", Cell(fiat_amount(order.fee_minor, order.digits, order.currency))),
        Fact("Client", Cell(order.client_id, sub=f"{order.mode} mode")),
    )


def _copied(text: str) -> Cell:
    return Cell(text or "–", copy=text, what="reference", mono=bool(text))


def timeline(story: OrderStory) -> tuple[Item, ...]:
    """What happened, newest first, each with its raw record."""
    ordered = sorted(enumerate(story.moves), key=lambda pair: (pair[1].at, pair[0]), reverse=True)
    return tuple(_item(story.order, move) for _, move in ordered)


def _item(order: RampOrder, move: OrderMove) -> Item:
    title, icon = ramp_wording.event(move.event)
    note = "" if move.note.rstrip(".") == title else ramp_wording.said(order, move.note)
    return Item(
        key=move.id,
        title=title,
        at=millis(move.at),
        note=note,
        icon=icon,
        color=COLORS[move.to_state],
        raw=json.dumps(asdict(move), indent=2, default=str, ensure_ascii=False),
    )


def raw(order: RampOrder) -> str:
    """The order as stored, as JSON, without what is personal."""
    fields = {name: value for name, value in asdict(order).items() if name not in _PERSONAL}
    return json.dumps(fields, indent=2, default=str, ensure_ascii=False)
