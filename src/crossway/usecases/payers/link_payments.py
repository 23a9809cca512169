"""Payments that payers make by payment links: the form, and the limits of unpaid ones."""

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from crossway.domain.errors import DomainError, InvalidInput, InvalidStatus
from crossway.domain.intent import Intent
from crossway.domain.money import Token, rescale_up
from crossway.domain.payment_links import (
    LONGEST_OPEN,
    ClosedReason,
    LinkUse,
    PayerUses,
    PaymentLink,
)
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.payers.checkout import (
    CheckoutError,
    CheckoutLink,
    get_checkout_link,
    parse_amount,
    principal_of,
)
from crossway.usecases.payers.invoice_balances import has_room
from crossway.usecases.payments.create_intent import create_intent
from crossway.usecases.payments.intent_request import CreateIntentRequest
from crossway.usecases.pricing.exposure_limit import ExposureExceeded

NONCE_PATTERN = re.compile(r"[A-Za-z0-9_-]{16,64}\Z")
_DAY = timedelta(days=1)
# A payment that expires sooner is not offered to its payer again.
_MIN_TIME_LEFT = timedelta(minutes=5)


class TooManyUnpaid(DomainError):
    """A network address has too many payments on a link that it did not pay."""

    def __init__(self, wait_seconds: int) -> None:
        super().__init__("Too many payments were created and not paid")
        self.wait_seconds = wait_seconds


@dataclass(frozen=True, slots=True)
class CheckoutForm:
    """A checkout form as submitted; `nonce` makes submitting it idempotent, `payer` is the digest
    of the network address that it came from, empty if that is unknown."""

    nonce: str
    amount: str
    method: str
    refund_address: str
    payer: str = ""


def digest_address(services: Services, address: str) -> str:
    """The keyed digest under which the payments of a network address are counted."""
    return services.vault.blind_index(f"payer {address}") if address else ""


def pay_by_link(services: Services, link_id: str, form: CheckoutForm) -> Intent:
    """Create an intent from a checkout form. A form submitted again returns the same intent, and so
    does one like that of an open payment which the same payer made.

    Raises `CheckoutError`, `TooManyUnpaid`, and `InvalidStatus` when the link is closed.
    """
    if not NONCE_PATTERN.match(form.nonce):
        raise CheckoutError("form")
    link = get_checkout_link(services, link_id, form.payer)
    # Read after the link: this form's first submission may be the use that closed it.
    if (existing := _find_used_intent(services, link_id, form.nonce)) is not None:
        return existing
    if link.closed_reason is not None:
        raise InvalidStatus(link.closed_reason)
    request = _build_request(services, link, form)
    if (own := _find_open(services, request, form.payer)) is not None:
        return own
    now = services.clock.now()

    def record_use(unit: UnitOfWork, intent: Intent) -> None:
        locked = unit.payment_links.lock(link_id)
        if unit.payment_links.find_use(link_id, form.nonce) is not None:
            raise _AlreadyUsed
        assert locked is not None
        require_room(unit, locked, intent, form.payer, now)
        unit.payment_links.record_use(LinkUse(0, link_id, form.nonce, intent.id, now, form.payer))

    try:
        return create_intent(services, principal_of(link), request, record_use)
    except _AlreadyUsed:
        existing = _find_used_intent(services, link_id, form.nonce)
        assert existing is not None
        return existing
    except ExposureExceeded as error:
        raise CheckoutError("busy") from error
    except InvalidInput as error:
        raise CheckoutError("method") from error


class _AlreadyUsed(Exception):
    """The form was used by a concurrent request."""


def require_room(
    unit: UnitOfWork, link: PaymentLink, intent: Intent, payer: str, now: datetime
) -> None:
    """Check that a locked link, which counts the new payment already, has room for it. Raises
    `InvalidStatus`, and `TooManyUnpaid` for the payer."""
    before = replace(link, reserved=link.reserved - 1)
    if (reason := before.closed_reason(now)) is not None:
        raise InvalidStatus(reason)
    if not has_room(unit, link, intent.terms.payout_amount):
        raise InvalidStatus(ClosedReason.IN_USE)
    if not payer:
        return
    if link.max_uses is None and unit.invoices.find_by_links([link.id]):
        # What is left of an invoice is reserved, too: it is paid once, if in parts.
        link = replace(link, max_uses=1)
    uses = unit.payment_links.count_uses_of_payer(link.id, payer, now - _DAY)
    if _count_unpaid(link, uses) >= link.max_unpaid(uses.paid):
        own = unit.payment_links.list_open_of_payer(payer, now - LONGEST_OPEN)
        ends = min((intent.terms.expires_at for intent in own), default=now + timedelta(hours=1))
        raise TooManyUnpaid(max(1, int((ends - now).total_seconds())))


def _count_unpaid(link: PaymentLink, uses: PayerUses) -> int:
    """Where uses are limited, those that ended unpaid count too: an address that reserves one again
    and again would keep everybody else from paying."""
    return uses.open + (uses.lapsed if link.max_uses is not None else 0)


def _find_open(services: Services, request: CreateIntentRequest, payer: str) -> Intent | None:
    """The open payment that the same payer made with the same form before."""
    now = services.clock.now()
    with services.store.read() as unit:
        open_intents = unit.payment_links.list_open_of_payer(payer, now - LONGEST_OPEN)
    for intent in open_intents:
        terms = intent.terms
        same = (
            intent.payment_link_id == request.payment_link_id
            and terms.source_chain == request.source_chain
            and terms.token_in == request.token_in
            and terms.refund_address == request.refund_address
            and str(intent.requested_amount) == request.amount
            and intent.amount_symbol == request.amount_symbol
        )
        if same and terms.expires_at - now >= _MIN_TIME_LEFT:
            return intent
    return None


def _build_request(
    services: Services, checkout_link: CheckoutLink, form: CheckoutForm
) -> CreateIntentRequest:
    link = checkout_link.link
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
    return request_by_link(services, checkout_link, amount, token, refund_address, form.payer)


def request_by_link(
    services: Services,
    checkout_link: CheckoutLink,
    amount: int,
    token: Token,
    refund_address: str,
    payer: str,
) -> CreateIntentRequest:
    """The payment of a link's amount, in units of its payout token, that is made in this token."""
    link, token_out = checkout_link.link, checkout_link.token_out
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
        source_chain=token.chain,
        destination_chain=link.destination_chain,
        recipient=link.recipient,
        refund_address=refund_address,
        metadata={**link.metadata, **reference},
        payment_link_id=link.id,
        payer=payer,
        by_payer=True,
    )


def _find_used_intent(services: Services, link_id: str, nonce: str) -> Intent | None:
    with services.store.read() as unit:
        use = unit.payment_links.find_use(link_id, nonce)
        return None if use is None else unit.intents.get(use.intent_id)
