"""What payers see and do without a key: an intent by its secret link, and paying by a link."""

import re
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.clients import Caller, Client, Mode, Scope
from crossway.domain.deposits import Deposit
from crossway.domain.errors import InvalidInput, NotFound, Refusal, WrongState
from crossway.domain.intent import Intent
from crossway.domain.links import MOST_PLACES, Closed, LinkUse, PaymentLink
from crossway.domain.looks import Look
from crossway.domain.money import Token, format_units, parse_decimal, rescale_up
from crossway.domain.quotes import PaymentOption, SourceOption
from crossway.domain.transfers import Transfer
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.payers.page_names import opened, sealed
from crossway.usecases.payments import intents
from crossway.usecases.payments.terms import CreateIntent, payable
from crossway.usecases.pricing.quotes import multi_source

_ABSURD = 10**21
_LINK = re.compile(r"pl_[0-9a-f]{20}\Z")
NONCE = re.compile(r"[A-Za-z0-9_-]{16,64}\Z")


class CannotPay(Refusal):
    """A payer's form is not taken; `why` names the reason: `amount`, `low`, `high`, `way`,
    `refund`, `form`."""

    def __init__(self, why: str) -> None:
        super().__init__(f"This form cannot be taken: {why}")
        self.why = why


@dataclass(frozen=True, slots=True)
class Merchant:
    """Whose page it is, and how it looks."""

    client: Client
    look: Look

    @property
    def name(self) -> str:
        """What payers call it."""
        return self.client.brand.display_name or self.client.name


@dataclass(frozen=True, slots=True)
class Seen:
    """One payment as its payer may see it; `now` is the service's time, `link` the payment link
    that it was made by."""

    intent: Intent
    deposits: list[Deposit]
    transfers: list[Transfer]
    merchant: Merchant
    link: PaymentLink | None
    now: datetime


@dataclass(frozen=True, slots=True)
class Entrance:
    """A payment link as payers see it."""

    link: PaymentLink
    token_out: Token
    merchant: Merchant
    closed: Closed | None
    now: datetime


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to pay: which token on which chain, how much of it, and what of that are fees."""

    source: SourceOption
    option: PaymentOption
    cheapest: bool

    @property
    def name(self) -> str:
        """What a form calls it."""
        return f"{self.source.source}:{self.option.symbol}"


@dataclass(frozen=True, slots=True)
class Form:
    """What a payer sent; `nonce` names the form, so that it is taken once."""

    nonce: str
    amount: str
    way: str
    refund_address: str


def page_name(services: Services, intent_id: int) -> str:
    """The part of the address of a payer's page that names its intent: nobody can guess it, and it
    tells nothing of the number, nor how many payments there are."""
    return sealed(services, intent_id)


def page_address(services: Services, found_at: str, intent_id: int) -> str:
    """The whole address of a payer's page; `found_at` is the origin at which this service was
    found, and counts where none was set."""
    return f"{services.doors.public_url or found_at}/pay/{page_name(services, intent_id)}"


def is_link_name(text: str) -> bool:
    """Whether this has the form of a payment link's name; clients may name intents otherwise."""
    return bool(_LINK.match(text))


def link_address(services: Services, found_at: str, link_id: str) -> str:
    """The whole address of a payment link's page."""
    return f"{services.doors.public_url or found_at}/pay/l/{link_id}"


def page_of(services: Services, name: str) -> Seen:
    """What a payer's page shows; raises `NotFound` for a name that is forged or altered."""
    intent_id = opened(services, name)
    with services.store.read() as unit:
        intent = unit.intents.get(intent_id)
        if intent is None:
            raise NotFound("No such page")
        link = unit.links.get(intent.payment_link_id) if intent.payment_link_id else None
        return Seen(
            intent=intent,
            deposits=unit.deposits.of([intent_id]),
            transfers=unit.transfers.of([intent_id]),
            merchant=_merchant(unit, intent.client_id),
            link=link if link and link.client_id == intent.client_id else None,
            now=services.clock.now(),
        )


def entrance(services: Services, link_id: str) -> Entrance:
    """A payment link by its public name; raises `NotFound`."""
    if not is_link_name(link_id):
        raise NotFound("No such page")
    with services.store.read() as unit:
        link = unit.links.get(link_id)
        if link is None:
            raise NotFound("No such page")
        merchant = _merchant(unit, link.client_id)
    token = services.catalogue.by_address[link.destination_chain, link.token_out]
    now = services.clock.now()
    return Entrance(link, token, merchant, link.closed(now), now)


def amount_of(entrance: Entrance, text: str) -> int:
    """What a payer is to pay, in units of the token that arrives: the link's amount, else what was
    typed. Raises `CannotPay`."""
    link, token = entrance.link, entrance.token_out
    if link.amount_units is not None:
        return link.amount_units
    places = min(token.decimals, MOST_PLACES)
    try:
        typed = parse_decimal("amount", text.strip().replace(",", "."), places)
    except InvalidInput:
        raise CannotPay("amount") from None
    units = rescale_up(typed, places, token.decimals)
    if units < max(link.least_units or 0, 1):
        raise CannotPay("low")
    if not link.takes(units) or typed >= _ABSURD:
        raise CannotPay("high")
    return units


def choices(services: Services, entrance: Entrance, units: int) -> list[Choice]:
    """The ways in which this much can be paid by a link, the cheapest first; none where nothing can
    be paid there now, as the chain is switched off or the amount is beyond every bridge."""
    token = entrance.token_out
    amount, to = format_units(units, token.decimals), entrance.link.destination_chain
    try:
        found = multi_source(services, _caller(entrance), to, amount, token.address)
    except InvalidInput:
        return []
    allowed = [
        (source, option)
        for source in sorted(found.options, key=lambda s: (s.fee_micro_usd, s.fill_seconds))
        for option in sorted(source.options, key=lambda o: o.symbol != token.symbol)
        if entrance.link.allows(source.source, option.symbol)
    ]
    least = min((source.fee_micro_usd for source, _ in allowed), default=0)
    return [
        Choice(source, option, source.fee_micro_usd == least and option.symbol == token.symbol)
        for source, option in allowed
    ]


def pay(services: Services, link_id: str, form: Form) -> Intent:
    """The intent that a payer's form becomes; the same form sent again is the same intent.

    Raises `CannotPay`, and `WrongState` where the link takes no payments any more."""
    if not NONCE.match(form.nonce):
        raise CannotPay("form")
    door = entrance(services, link_id)
    # Asked after the door was looked at: the same form may have been what closed it.
    if (known := _used(services, link_id, form.nonce)) is not None:
        return known
    if door.closed is not None:
        raise WrongState(door.closed)
    asked = _asked(services, door, form)
    now = services.clock.now()

    def along(unit: Unit, intent: Intent) -> None:
        link = unit.links.lock(link_id)
        if unit.links.use_of(link_id, form.nonce) is not None:
            raise _Twice
        if link is None or link.closed(now) is not None:
            raise WrongState((link.closed(now) if link else None) or Closed.OFF)
        unit.links.use(LinkUse(0, link_id, form.nonce, intent.id, now))

    try:
        return intents.create(services, _caller(door), asked, along)
    except _Twice:
        again = _used(services, link_id, form.nonce)
        assert again is not None
        return again
    except InvalidInput as refusal:
        raise CannotPay("way") from refusal


class _Twice(Exception):
    """The same form was taken by somebody else meanwhile."""


def _asked(services: Services, door: Entrance, form: Form) -> CreateIntent:
    link, out = door.link, door.token_out
    units = amount_of(door, form.amount)
    chain, _, symbol = form.way.partition(":")
    token = services.catalogue.tokens.get((chain, symbol))
    if token is None or chain not in services.chains or not link.allows(chain, symbol):
        raise CannotPay("way")
    try:
        refund = payable(
            services, services.catalogue.chains[chain], form.refund_address.strip(), "refund"
        )
    except InvalidInput:
        raise CannotPay("refund") from None
    # An amount counts in the decimals that the token paid with has, where it is the same symbol.
    decimals = out.decimals
    if out.symbol == "USDC":
        decimals = services.catalogue.decimals_of("USDC", ())
    elif token.symbol == out.symbol:
        decimals = token.decimals
    reference = {"reference": link.reference} if link.reference else {}
    return CreateIntent(
        amount=str(rescale_up(units, out.decimals, decimals)),
        amount_symbol=out.symbol,
        token_in=token.address,
        token_out=out.address,
        source_chain=chain,
        destination_chain=link.destination_chain,
        recipient=link.recipient,
        refund_address=refund,
        metadata={**link.metadata, **reference},
        payment_link_id=link.id,
    )


def _used(services: Services, link_id: str, nonce: str) -> Intent | None:
    with services.store.read() as unit:
        use = unit.links.use_of(link_id, nonce)
        return None if use is None else unit.intents.get(use.intent_id)


def _caller(door: Entrance) -> Caller:
    """As whom a payer's intent is made: the link's client, and nothing but that."""
    scopes = frozenset({Scope.READ, Scope.WRITE})
    return Caller(door.merchant.client, Mode(door.link.mode), scopes)


def _merchant(unit: Unit, client_id: str) -> Merchant:
    client = unit.access.client(client_id)
    if client is None:
        raise NotFound("No such page")
    return Merchant(client, unit.links.look(client_id) or Look(client_id))
