"""Checkout: what payers see and do without an API key, by checkout URL or by payment link."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from crossway.domain.branding import Branding
from crossway.domain.bridge_transfer import BridgeTransfer, Custody
from crossway.domain.clients import Client, Mode, Principal, Scope
from crossway.domain.deposits import Deposit
from crossway.domain.errors import DomainError, InvalidInput, NotFound
from crossway.domain.intent import Intent
from crossway.domain.money import Token, format_units, rescale_up
from crossway.domain.outbound import OutboundTx
from crossway.domain.payment_links import (
    LONGEST_OPEN,
    MAX_DECIMAL_PLACES,
    ClosedReason,
    PaymentLink,
)
from crossway.domain.quotes import PaymentOption, SourceOption
from crossway.domain.typed_amounts import parse_typed_amount
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payers.invoice_balances import apply_invoice
from crossway.usecases.payments.abandoned_payouts import payout_deadline
from crossway.usecases.payments.bridge_progress import BridgeProgress, load_progress
from crossway.usecases.payments.checkout_urls import parse_token
from crossway.usecases.payments.claims import PayerClaim, list_claims
from crossway.usecases.payments.refund_reasons import list_reasons
from crossway.usecases.payments.self_service import Guarantee, SelfService, describe_self_service
from crossway.usecases.pricing.multi_source import quote_multi_source

MAX_SHOWN = 50
_MAX_INPUT = 10**21
_LINK_ID_PATTERN = re.compile(r"pl_[0-9a-f]{20}\Z")


class CheckoutError(DomainError):
    """A checkout form is rejected; `reason` is the invalid part: `amount`, `low`, `high`, `method`,
    `refund` or `form`; `busy` where open payments leave no room for it."""

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
    made by, if any; `now` is the service's time. `progress` is that of the bridge that carries it,
    `self_service` what the payer keeps; where the operator is trusted, that ends at the latest at
    `trusted_until`. `refund_note` is what whoever refunded it wrote about that."""

    intent: Intent
    deposits: list[Deposit]
    outbound_txs: list[OutboundTx]
    merchant: Merchant
    link: PaymentLink | None
    now: datetime
    older_deposits: int = 0
    claims: Sequence[PayerClaim] = ()
    progress: BridgeProgress | None = None
    self_service: SelfService = field(default_factory=lambda: SelfService(Guarantee.OPERATOR))
    trusted_until: datetime | None = None
    refund_note: str = ""


@dataclass(frozen=True, slots=True)
class CheckoutLink:
    """A payment link as payers see it. `wait_minutes` is when one that is in use may be free."""

    link: PaymentLink
    token_out: Token
    merchant: Merchant
    closed_reason: ClosedReason | None
    now: datetime
    wait_minutes: int = 0


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
        reasons = list_reasons(unit, intent_id)
        return CheckoutSnapshot(
            intent=intent,
            deposits=deposits,
            older_deposits=older,
            outbound_txs=unit.outbound_txs.list_newest(intent_id, MAX_SHOWN),
            merchant=_get_merchant(unit, intent.client_id),
            link=link if link and link.client_id == intent.client_id else None,
            now=services.clock.now(),
            claims=list_claims(services, unit, intent),
            progress=load_progress(unit, [intent]).get(intent_id),
            self_service=describe_self_service(services, intent, _find_transfer(unit, intent)),
            trusted_until=None
            if intent.custody is Custody.BRIDGE
            else payout_deadline(services, intent),
            refund_note=reasons[-1].text if reasons else "",
        )


def _find_transfer(unit: UnitOfWork, intent: Intent) -> BridgeTransfer | None:
    if intent.custody is not Custody.BRIDGE:
        return None
    return unit.bridge_transfers.get_many([intent.id]).get(intent.id)


def get_checkout_link(services: Services, link_id: str, payer: str = "") -> CheckoutLink:
    """A payment link by its public id; raises `NotFound`.

    A link in use is open for the network address (`payer`, its digest) that has one of its open
    payments: the form leads back to it."""
    if not is_link_id(link_id):
        raise NotFound("No such page")
    now, wait_minutes = services.clock.now(), 0
    with services.store.read() as unit:
        link = unit.payment_links.get(link_id)
        if link is None:
            raise NotFound("No such page")
        merchant = _get_merchant(unit, link.client_id)
        link, closed_reason = apply_invoice(unit, link, link.closed_reason(now))
        if closed_reason is ClosedReason.IN_USE:
            own = unit.payment_links.list_open_of_payer(payer, now - LONGEST_OPEN)
            if any(intent.payment_link_id == link_id for intent in own):
                closed_reason = None
            ends = unit.payment_links.next_expiry(link_id, now - LONGEST_OPEN) or now
            wait_minutes = max(1, -(-(ends - now) // timedelta(minutes=1)))
    token = services.catalogue.by_address[link.destination_chain, link.token_out]
    return CheckoutLink(link, token, merchant, closed_reason, now, wait_minutes)


def parse_amount(link: CheckoutLink, text: str) -> int:
    """The amount to pay in the smallest units of the payout token: the link's own, else the one
    the payer typed. Raises `CheckoutError`."""
    payment_link, token_out = link.link, link.token_out
    if payment_link.amount is not None:
        return payment_link.amount
    places = min(token_out.decimals, MAX_DECIMAL_PLACES)
    try:
        parsed = parse_typed_amount("amount", text, places, token_out.symbol)
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
            services, principal_of(link), destination, decimal_amount, token_out.address
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


def principal_of(link: CheckoutLink) -> Principal:
    """The principal that creates a payer's intent: the link's client, with no other rights."""
    scopes = frozenset({Scope.READ, Scope.WRITE})
    return Principal(link.merchant.client, Mode(link.link.mode), scopes)


def _get_merchant(unit: UnitOfWork, client_id: str) -> Merchant:
    client = unit.api_keys.get_client(client_id)
    if client is None:
        raise NotFound("No such page")
    return Merchant(client, unit.payment_links.get_branding(client_id) or Branding(client_id))
