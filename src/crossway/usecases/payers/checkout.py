"""Checkout: what payers see and do without an API key, by checkout URL or by payment link."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.branding import Branding
from crossway.domain.clients import Client, Mode, Principal, Scope
from crossway.domain.deposits import Deposit
from crossway.domain.errors import DomainError, InvalidInput, InvalidStatus, NotFound
from crossway.domain.intent import Intent
from crossway.domain.money import Token, format_units, parse_decimal, rescale_up
from crossway.domain.outbound import OutboundTx
from crossway.domain.payment_links import MAX_DECIMAL_PLACES, ClosedReason, LinkUse, PaymentLink
from crossway.domain.quotes import PaymentOption, SourceOption
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.payments.checkout_urls import parse_token
from crossway.usecases.payments.claims import PayerClaim, list_claims
from crossway.usecases.payments.create_intent import (
    CreateIntentRequest,
    create_intent,
)
from crossway.usecases.pricing.multi_source import quote_multi_source

MAX_SHOWN = 50
_MAX_INPUT = 10**21
_LINK_ID_PATTERN = re.compile(r"pl_[0-9a-f]{20}\Z")
NONCE_PATTERN = re.compile(r"[A-Za-z0-9_-]{16,64}\Z")


class CheckoutError(DomainError):
    """A checkout form is rejected; `reason` is the invalid part: `amount`, `low`, `high`, `method`,
    `refund` or `form`."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The checkout form is invalid: {reason}")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Merchant:
    """The client that a checkout page belongs to, and its branding."""

    client: Client
    branding: Branding

    @property
    def name(self) -> str:
        """The name that payers see."""
        return self.client.public_profile.display_name or self.client.name


@dataclass(frozen=True, slots=True)
class CheckoutSnapshot:
    """One payment as its payer may see it, with its newest deposits and returns; `older_deposits`
    counts the others. `claims` are what waits at its address. `link` is the payment link it was
    made by, if any; `now` is the service's time."""

    intent: Intent
    deposits: list[Deposit]
    outbound_txs: list[OutboundTx]
    merchant: Merchant
    link: PaymentLink | None
    now: datetime
    older_deposits: int = 0
    claims: Sequence[PayerClaim] = ()


@dataclass(frozen=True, slots=True)
class CheckoutLink:
    """A payment link as payers see it."""

    link: PaymentLink
    token_out: Token
    merchant: Merchant
    closed_reason: ClosedReason | None
    now: datetime


@dataclass(frozen=True, slots=True)
class PaymentMethod:
    """One way to pay: a token on a chain, with the deposit amount and its fees."""

    source: SourceOption
    option: PaymentOption
    cheapest: bool

    @property
    def name(self) -> str:
        """The value of the form's field, `CHAIN:SYMBOL`."""
        return f"{self.source.source}:{self.option.symbol}"


@dataclass(frozen=True, slots=True)
class CheckoutForm:
    """A checkout form as submitted; `nonce` makes submitting it idempotent."""

    nonce: str
    amount: str
    method: str
    refund_address: str


def is_link_id(text: str) -> bool:
    """Whether a text has the format of a payment link's id; clients may set other values."""
    return bool(_LINK_ID_PATTERN.match(text))


def get_checkout(services: Services, token: str) -> CheckoutSnapshot:
    """The payment of a checkout URL; raises `NotFound` for an invalid token."""
    intent_id = parse_token(services, token)
    with services.store.read() as unit:
        intent = unit.intents.get(intent_id)
        if intent is None:
            raise NotFound("No such page")
        link = unit.payment_links.get(intent.payment_link_id) if intent.payment_link_id else None
        deposits = unit.deposits.list_by_intents([intent_id], MAX_SHOWN)
        older = 0
        if len(deposits) == MAX_SHOWN:
            older = unit.deposits.count_by_intent(intent_id) - MAX_SHOWN
        return CheckoutSnapshot(
            intent=intent,
            deposits=deposits,
            older_deposits=older,
            outbound_txs=unit.outbound_txs.list_newest(intent_id, MAX_SHOWN),
            merchant=_get_merchant(unit, intent.client_id),
            link=link if link and link.client_id == intent.client_id else None,
            now=services.clock.now(),
            claims=list_claims(services, unit, intent),
        )


def get_checkout_link(services: Services, link_id: str) -> CheckoutLink:
    """A payment link by its public id; raises `NotFound`."""
    if not is_link_id(link_id):
        raise NotFound("No such page")
    with services.store.read() as unit:
        link = unit.payment_links.get(link_id)
        if link is None:
            raise NotFound("No such page")
        merchant = _get_merchant(unit, link.client_id)
    token = services.catalogue.by_address[link.destination_chain, link.token_out]
    now = services.clock.now()
    return CheckoutLink(link, token, merchant, link.closed_reason(now), now)


def parse_amount(link: CheckoutLink, text: str) -> int:
    """The amount to pay in the smallest units of the payout token: the link's own, else the one
    the payer typed. Raises `CheckoutError`."""
    payment_link, token_out = link.link, link.token_out
    if payment_link.amount is not None:
        return payment_link.amount
    places = min(token_out.decimals, MAX_DECIMAL_PLACES)
    try:
        parsed = parse_decimal("amount", text.strip().replace(",", "."), places)
    except InvalidInput:
        raise CheckoutError("amount") from None
    amount = rescale_up(parsed, places, token_out.decimals)
    if amount < max(payment_link.min_amount or 0, 1):
        raise CheckoutError("low")
    if not payment_link.accepts_amount(amount) or parsed >= _MAX_INPUT:
        raise CheckoutError("high")
    return amount


def list_payment_methods(
    services: Services, link: CheckoutLink, amount: int
) -> list[PaymentMethod]:
    """The payment methods for an amount on a link, cheapest first; empty when it cannot be paid
    now, because the chain is disabled or no bridge accepts the amount."""
    token_out = link.token_out
    decimal_amount, destination = (
        format_units(amount, token_out.decimals),
        link.link.destination_chain,
    )
    try:
        comparison = quote_multi_source(
            services, _principal_of(link), destination, decimal_amount, token_out.address
        )
    except InvalidInput:
        return []
    allowed = [
        (source, option)
        for source in sorted(comparison.options, key=lambda s: (s.fee_micro_usd, s.fill_seconds))
        for option in sorted(source.options, key=lambda o: o.symbol != token_out.symbol)
        if link.link.accepts_source(source.source, option.symbol)
    ]
    lowest_fee = min((source.fee_micro_usd for source, _ in allowed), default=0)
    return [
        PaymentMethod(
            source, option, source.fee_micro_usd == lowest_fee and option.symbol == token_out.symbol
        )
        for source, option in allowed
    ]


def pay_by_link(services: Services, link_id: str, form: CheckoutForm) -> Intent:
    """Create an intent from a checkout form; a form submitted again returns the same intent.

    Raises `CheckoutError`, and `InvalidStatus` when the link is closed.
    """
    if not NONCE_PATTERN.match(form.nonce):
        raise CheckoutError("form")
    link = get_checkout_link(services, link_id)
    # Read after the link: this form's first submission may be the use that closed it.
    if (existing := _find_used_intent(services, link_id, form.nonce)) is not None:
        return existing
    if link.closed_reason is not None:
        raise InvalidStatus(link.closed_reason)
    request = _build_request(services, link, form)
    now = services.clock.now()

    def record_use(unit: UnitOfWork, intent: Intent) -> None:
        locked = unit.payment_links.lock(link_id)
        if unit.payment_links.find_use(link_id, form.nonce) is not None:
            raise _AlreadyUsed
        if locked is None or locked.closed_reason(now) is not None:
            raise InvalidStatus((locked.closed_reason(now) if locked else None) or ClosedReason.OFF)
        unit.payment_links.record_use(LinkUse(0, link_id, form.nonce, intent.id, now))

    try:
        return create_intent(services, _principal_of(link), request, record_use)
    except _AlreadyUsed:
        existing = _find_used_intent(services, link_id, form.nonce)
        assert existing is not None
        return existing
    except InvalidInput as error:
        raise CheckoutError("method") from error


class _AlreadyUsed(Exception):
    """The form was used by a concurrent request."""


def _build_request(
    services: Services, checkout_link: CheckoutLink, form: CheckoutForm
) -> CreateIntentRequest:
    link, token_out = checkout_link.link, checkout_link.token_out
    amount = parse_amount(checkout_link, form.amount)
    chain, _, symbol = form.method.partition(":")
    token = services.catalogue.tokens.get((chain, symbol))
    if token is None or chain not in services.chains or not link.accepts_source(chain, symbol):
        raise CheckoutError("method")
    try:
        refund_address = parse_payable_address(
            services, services.catalogue.chains[chain], form.refund_address.strip(), "refund"
        )
    except InvalidInput:
        raise CheckoutError("refund") from None
    # The amount has the decimals of the deposited token if that has the payout token's symbol.
    decimals = token_out.decimals
    if token_out.symbol == "USDC":
        decimals = services.catalogue.decimals_of("USDC", ())
    elif token.symbol == token_out.symbol:
        decimals = token.decimals
    reference = {"reference": link.reference} if link.reference else {}
    return CreateIntentRequest(
        amount=str(rescale_up(amount, token_out.decimals, decimals)),
        amount_symbol=token_out.symbol,
        token_in=token.address,
        token_out=token_out.address,
        source_chain=chain,
        destination_chain=link.destination_chain,
        recipient=link.recipient,
        refund_address=refund_address,
        metadata={**link.metadata, **reference},
        payment_link_id=link.id,
    )


def _find_used_intent(services: Services, link_id: str, nonce: str) -> Intent | None:
    with services.store.read() as unit:
        use = unit.payment_links.find_use(link_id, nonce)
        return None if use is None else unit.intents.get(use.intent_id)


def _principal_of(link: CheckoutLink) -> Principal:
    """The principal that creates a payer's intent: the link's client, with no other rights."""
    scopes = frozenset({Scope.READ, Scope.WRITE})
    return Principal(link.merchant.client, Mode(link.link.mode), scopes)


def _get_merchant(unit: UnitOfWork, client_id: str) -> Merchant:
    client = unit.api_keys.get_client(client_id)
    if client is None:
        raise NotFound("No such page")
    return Merchant(client, unit.payment_links.get_branding(client_id) or Branding(client_id))
