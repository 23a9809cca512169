"""Create an intent: parse and validate the request, quote it, and build and store the intent."""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Principal, Scope
from crossway.domain.errors import FieldError, InvalidInput, MissingInput
from crossway.domain.intent import Intent, State, Terms
from crossway.domain.money import Token, parse_units
from crossway.domain.quotes import Quote
from crossway.ports import process
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.kill_switches import active_kill_switches
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.chains.request_fields import (
    parse_address,
    parse_chain,
    parse_source_chain,
    parse_token,
)
from crossway.usecases.money.emergency_stop import require_not_stopped
from crossway.usecases.payments.link_reference import parse_link_id
from crossway.usecases.pricing.exposure_limit import require_exposure_room
from crossway.usecases.pricing.priced_request import RequestedRoute
from crossway.usecases.pricing.quotes import quote_intent
from crossway.usecases.validation_errors import ValidationErrors

MAX_METADATA_BYTES = 8 * 1024
# JavaScript reads integers up to 2^53 - 1.
_NONCE_BITS = 53


@dataclass(frozen=True, slots=True)
class CreateIntentRequest:
    """A create-intent request as text; None for fields that were left out. `by_payer`: it comes by
    a payment link, and `payer` is the digest of the network address that it came from.
    `field_errors` are about fields that were refused before, when a body was parsed."""

    amount: str
    token_in: str
    source_chain: str
    destination_chain: str
    recipient: str
    sender: str | None = None
    refund_address: str | None = None
    amount_symbol: str | None = None
    token_out: str | None = None
    metadata: Mapping[str, Any] | None = None
    payment_link_id: str | None = None
    by_payer: bool = False
    payer: str = ""
    field_errors: Sequence[FieldError] = ()


@dataclass(frozen=True, slots=True)
class IntentFields:
    """What an intent stores beside its quote; `token_out` is the token paid out."""

    token_out: Token
    recipient: str
    refund_address: str
    sender: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    payment_link_id: str | None = None
    by_payer: bool = False


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A valid request; `amount` is in the smallest units of `amount_symbol`."""

    route: RequestedRoute
    amount: int
    amount_symbol: str
    fields: IntentFields


def create_intent(
    services: Services,
    caller: Principal,
    request: CreateIntentRequest,
    on_stored: Callable[[UnitOfWork, Intent], None] = lambda unit, intent: None,
) -> Intent:
    """Create and store an intent with its own deposit address.

    `on_stored` runs in the same database transaction, so that what it writes and the intent are
    stored together or not at all. Raises `InvalidInput`, also where open payments reach the limit
    of exposure to a price, `PaymentsStopped`, and `QuotesUnavailable`.
    """
    caller.require_scope(Scope.WRITE)
    require_not_stopped(services)
    parsed = parse(services, caller, request)
    quote = quote_intent(services, caller, parsed.route, parsed.amount, parsed.amount_symbol)
    life_seconds = services.policy.intent_life_seconds
    intent = build_intent(services, caller, parsed.fields, quote, life_seconds)
    event_id = new_event_id()

    def store(unit: UnitOfWork) -> Intent:
        stored = unit.intents.add(intent, event_id)
        require_exposure_room(services, unit, stored, request.payer)
        on_stored(unit, stored)
        return stored

    stored = services.store.write(store)
    process.add_log_ids(intent=stored.id)
    services.process.failpoint("created")
    return stored


def new_event_id() -> str:
    """A new id for the outbox event that is stored with a new intent."""
    return f"evt_{secrets.token_hex(16)}"


def parse(services: Services, caller: Principal, request: CreateIntentRequest) -> ParsedRequest:
    """Parse and validate a request; raises `InvalidInput` with all errors."""
    disabled, errors = active_kill_switches(services), ValidationErrors(request.field_errors)
    source = errors.collect(
        parse_source_chain, services, caller, disabled, request.source_chain, "source_chain"
    )
    destination = errors.collect(
        parse_chain, services, caller, disabled, request.destination_chain, "destination_chain"
    )
    amount = errors.collect(parse_units, "amount", request.amount)
    symbol = errors.collect(services.catalogue.symbol, request.amount_symbol or "USDC")
    token_in = sender = refund_address = recipient = token_out = None
    if source is not None:
        token_in = errors.collect(
            parse_token, services, caller, source, request.token_in, "tokenIn"
        )
        if request.sender is not None:
            sender = errors.collect(parse_address, services, source, request.sender, "sender")
        refund_address = errors.collect(_parse_refund_address, services, caller, request, source)
    if destination is not None:
        recipient = errors.collect(
            parse_payable_address, services, destination, request.recipient, "recipient"
        )
        token_out = errors.collect(
            _parse_token_out, services, caller, destination, request, token_in
        )
    metadata = errors.collect(_parse_metadata, request.metadata)
    link_id = errors.collect(_parse_link, services, caller, request)
    errors.raise_if_any()
    assert source and destination and token_in and token_out and amount and symbol  # noqa: PT018
    assert recipient and refund_address and metadata is not None  # noqa: PT018
    route = RequestedRoute(source, destination, token_in, token_out, recipient)
    fields = IntentFields(
        token_out, recipient, refund_address, sender or "", metadata, link_id, request.by_payer
    )
    return ParsedRequest(route, amount, symbol, fields)


def _parse_refund_address(
    services: Services, caller: Principal, request: CreateIntentRequest, source: Chain
) -> str:
    """The refund address, by default the sender, else the client's own for this chain family."""
    text, name = request.refund_address, "refund_address"
    if text is None and request.sender is not None:
        text, name = request.sender, "sender"
    elif text is None:
        text = caller.client.refund_addresses.get(source.kind)
        if not text:
            raise MissingInput(
                "refund_address or sender is required, so that the payment can be refunded"
            )
    return parse_payable_address(services, source, text, name)


def _parse_token_out(
    services: Services,
    caller: Principal,
    destination: Chain,
    request: CreateIntentRequest,
    token_in: Token | None,
) -> Token | None:
    """The payout token, by default USDC on the destination chain, else the deposited symbol there.
    None when the default depends on a token that is invalid."""
    if request.token_out is not None:
        return parse_token(services, caller, destination, request.token_out, "tokenOut")
    if token_in is None:
        return None
    try:
        return services.catalogue.token(destination.id, "USDC", "tokenOut")
    except InvalidInput:
        return services.catalogue.token(destination.id, token_in.symbol, "tokenOut")


def _parse_link(services: Services, caller: Principal, request: CreateIntentRequest) -> str | None:
    # The page of a link has looked at it already.
    is_checked = request.by_payer or request.payment_link_id is None
    return (
        request.payment_link_id
        if is_checked
        else parse_link_id(services, caller, request.payment_link_id)
    )


def _parse_metadata(value: Mapping[str, Any] | None) -> dict[str, Any]:
    if value is None:
        return {}
    if len(json.dumps(value, separators=(",", ":")).encode()) > MAX_METADATA_BYTES:
        raise InvalidInput("metadata must be at most 8 KiB of JSON")
    return dict(value)


def build_intent(
    services: Services,
    caller: Principal,
    fields: IntentFields,
    quote: Quote,
    life_seconds: int,
) -> Intent:
    """Build a pending intent; its deposit address is derived from its terms alone."""
    assert not quote.estimate_reason, "an estimate is never the terms of a payment"
    owner, now = caller.owner, services.clock.now()
    terms = _build_terms(fields, quote, now, life_seconds)
    source, destination = services.chains[quote.source], services.chains[quote.destination]
    bridger = source.accounts.collector(quote.collector)
    intent_hash = source.intent_hash(terms, bridger)
    address = source.deposit_address(intent_hash)
    max_settle_seconds = services.policy.max_settle_seconds
    return Intent(
        id=0,
        client_id=owner.client_id,
        mode=owner.mode.value,
        intent_hash=intent_hash,
        address=address,
        destination_address=destination.deposit_address(intent_hash),
        deposit_token_account=source.deposit_token_account(address, quote.token_in),
        terms=terms,
        costs=quote.costs,
        sender=fields.sender,
        requested_amount=quote.amount,
        amount_symbol=quote.amount_symbol,
        asset_symbol=quote.asset_symbol,
        asset_decimals=quote.asset_decimals,
        out_symbol=fields.token_out.symbol,
        out_decimals=fields.token_out.decimals,
        slippage=quote.slippage,
        settle_seconds=quote.settle_seconds
        if max_settle_seconds is None
        else min(quote.settle_seconds, max_settle_seconds),
        bridge_data=quote.extra_data,
        coordinator=source.accounts.coordinator,
        bridger=bridger,
        metadata=fields.metadata,
        payment_link_id=fields.payment_link_id,
        state=State.PENDING,
        received_amount=0,
        balance_at_address=0,
        relayer="",
        relayer_claimed=False,
        needs_relay=False,
        tx_hash=None,
        created_at=now,
        updated_at=now,
        by_payer=fields.by_payer,
        custody=quote.custody,
        swap=quote.swap,
    )


def _build_terms(fields: IntentFields, quote: Quote, now: datetime, life_seconds: int) -> Terms:
    # Whole seconds: the resolution of chain time and of `expires_at` in the API.
    expires_at = now.replace(microsecond=0) + timedelta(seconds=life_seconds)
    return Terms(
        nonce=secrets.randbits(_NONCE_BITS),
        source_chain=quote.source,
        destination_chain=quote.destination,
        token_in=quote.token_in,
        token_out=quote.token_out,
        deposit_amount=quote.deposit_amount,
        payout_amount=quote.payout_amount,
        recipient=fields.recipient,
        refund_address=fields.refund_address,
        bridge=quote.bridge.value if quote.bridge else "",
        expires_at=expires_at,
    )
