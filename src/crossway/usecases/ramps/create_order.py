"""Parsing and validating requests for new ramp orders, and building the order and its intent."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Principal
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import FieldError, Forbidden, InvalidInput, MissingInput
from crossway.domain.intent import Intent
from crossway.domain.money import rescale_up
from crossway.domain.payment_channels import Channel, parse_fields
from crossway.domain.ramps import Direction, OrderState, ProviderCommand, RampOrder
from crossway.ports.services import Services
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.kyc.corridors import parse_provider
from crossway.usecases.payments.create_intent import build_intent
from crossway.usecases.payments.intent_request import IntentFields
from crossway.usecases.ramps.order_intents import intent_lifetime_seconds
from crossway.usecases.ramps.poll_schedule import CREATION_GRACE
from crossway.usecases.ramps.provider_quotes import RampQuote
from crossway.usecases.ramps.quote_params import RampQuoteRequest, parse_direction
from crossway.usecases.ramps.quotes import get_quote_for_order
from crossway.usecases.validation_errors import ValidationErrors

_REFERENCE_BYTES = 16


@dataclass(frozen=True, slots=True)
class CreateOrderRequest:
    """The raw request; omitted fields are None. `channel` is one of the quote's;
    when omitted, the first one that the `fields` fit is used."""

    direction: object = None
    provider: object = None
    currency: object = None
    amount: object = None
    destination_chain: object = None
    source_chain: object = None
    symbol: object = None
    recipient: object = None
    sender: object = None
    country: object = None
    email: object = None
    fields: object = None
    channel: object = None
    field_errors: Sequence[FieldError] = ()


@dataclass(frozen=True, slots=True)
class ParsedOrderRequest:
    """A validated request. `address` is the recipient of an on-ramp or the sender of an off-ramp;
    `email` is None when it is neither required nor given."""

    quote: RampQuote
    channel: Channel
    address: str
    email: str | None
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def direction(self) -> Direction:
        """The direction of the order."""
        return self.quote.direction


def parse(services: Services, caller: Principal, request: CreateOrderRequest) -> ParsedOrderRequest:
    """Validate and price a request. Raises `InvalidInput` with all validation errors, and
    `Forbidden` when a direct order names no e-mail address."""
    errors = ValidationErrors(request.field_errors)
    direction = errors.collect(parse_direction, request.direction)
    errors.collect(parse_provider, services, request.provider)
    address = errors.collect(_parse_address, services, request, direction)
    field_values, channel = _split_fields(request, errors)
    quote_request = _quote_request(request, channel)
    quote = errors.collect(get_quote_for_order, services, caller, quote_request, request.provider)
    errors.raise_if_any()
    assert quote is not None
    assert address is not None
    return _select_channel(services, caller, request, quote, address, field_values)


def _select_channel(
    services: Services,
    caller: Principal,
    request: CreateOrderRequest,
    quote: RampQuote,
    address: str,
    field_values: Mapping[str, object],
) -> ParsedOrderRequest:
    """The request with the channel that its fields fit, at that channel's own price."""
    channel = _find_channel(quote.channels, field_values)
    email = request.email if isinstance(request.email, str) and request.email.strip() else None
    if channel.direct and email is None:
        raise Forbidden(
            "userEmail is required for a direct order: the user's e-mail address",
            ErrorCode.PARAMETER_MISSING,
        )
    if channel.id != quote.channels[0].id:
        quote_request = _quote_request(request, channel.id)
        quote = get_quote_for_order(services, caller, quote_request, request.provider)
    return ParsedOrderRequest(quote, channel, address, email, parse_fields(channel, field_values))


def _find_channel(channels: Sequence[Channel], field_values: Mapping[str, object]) -> Channel:
    """The first channel whose fields are complete; else the first one, whose errors are
    reported."""
    for channel in channels:
        try:
            parse_fields(channel, field_values)
        except InvalidInput:
            continue
        return channel
    return channels[0]


def _quote_request(request: CreateOrderRequest, channel: object) -> RampQuoteRequest:
    return RampQuoteRequest(
        direction=request.direction,
        currency=request.currency,
        amount=request.amount,
        destination_chain=request.destination_chain,
        source_chain=request.source_chain,
        symbol=request.symbol,
        country=request.country,
        email=request.email,
        channel=channel,
    )


def _split_fields(
    request: CreateOrderRequest, errors: ValidationErrors
) -> tuple[Mapping[str, object], object]:
    """The channel's fields, and the requested channel, which `fields` may also name."""
    if request.fields is None:
        return {}, request.channel
    if not isinstance(request.fields, Mapping):
        errors.add("fields must be a JSON object")
        return {}, request.channel
    field_values = dict(request.fields)
    channel_in_fields = field_values.pop("channel", None)
    return field_values, request.channel if request.channel is not None else channel_in_fields


def _parse_address(
    services: Services, request: CreateOrderRequest, direction: Direction | None
) -> str | None:
    """The user's wallet on their own chain. An invalid chain is reported with the quote."""
    if direction is None:
        return None
    is_on_ramp = direction is Direction.ON
    name = request.destination_chain if is_on_ramp else request.source_chain
    text, field = (
        (request.recipient, "recipientAddress") if is_on_ramp else (request.sender, "senderAddress")
    )
    if text is None:
        raise MissingInput(f"{field} is required for an {direction}")
    chain = _find_chain(services, name)
    return None if chain is None else parse_payable_address(services, chain, text, field)


def _find_chain(services: Services, name: object) -> Chain | None:
    try:
        chain = services.catalogue.chain(name)
    except InvalidInput:
        return None
    return chain if chain.id in services.chains else None


def build_order(
    services: Services, caller: Principal, parsed: ParsedOrderRequest, customer_id: str | None
) -> RampOrder:
    """The order as it is stored before its provider knows of it."""
    quote, channel, now = parsed.quote, parsed.channel, services.clock.now()
    is_on_ramp = parsed.direction is Direction.ON
    route = quote.intent_quote
    # An off-ramp counts in the decimals of the deposited token: USDC has 18 on BSC.
    decimals = quote.decimals if is_on_ramp else max(quote.decimals, quote.token.decimals)
    personal_data = {"email": parsed.email or "", "fields": dict(parsed.fields)}
    return RampOrder(
        id=0,
        client_id=caller.owner.client_id,
        mode=caller.owner.mode.value,
        reference=f"cw_{secrets.token_hex(_REFERENCE_BYTES)}",
        direction=quote.direction,
        provider=quote.provider,
        state=OrderState.PENDING,
        currency=quote.currency.code,
        digits=quote.currency.digits,
        fiat_minor=quote.fiat_minor,
        fee_minor=quote.fee_minor,
        fees_minor=quote.total_fees_minor,
        fees_micro_usd=quote.total_fees_micro_usd,
        value_micro_usd=quote.value_micro_usd,
        rate_micro=quote.rate_micro,
        symbol=quote.token.symbol,
        decimals=decimals,
        crypto_units=rescale_up(quote.crypto_units, quote.decimals, decimals),
        source_chain=route.source,
        destination_chain=route.destination,
        ramp_chain=quote.ramp_token.chain,
        ramp_token=quote.ramp_token.address,
        ramp_units=quote.ramp_units,
        gross_units=quote.gross_units,
        sender="" if is_on_ramp else parsed.address,
        recipient=parsed.address if is_on_ramp else "",
        country=quote.country,
        channel=channel.id,
        customer_id=customer_id,
        encrypted_fields=services.vault.encrypt(json.dumps(personal_data).encode()),
        widget_url="",
        instructions={},
        pay_to="",
        intent_id=None,
        intent_address="",
        provider_reference="",
        provider_tx="",
        failure_reason="",
        delay_reason="",
        metadata={},
        command=ProviderCommand.OPEN,
        attempt_count=0,
        next_at=now + CREATION_GRACE,
        paid_at=None,
        provider_closed_at=None,
        created_at=now,
        updated_at=now,
        expires_at=now.replace(microsecond=0) + timedelta(seconds=channel.pay_seconds),
        completed_at=None,
    )


def build_on_ramp_intent(
    services: Services, caller: Principal, parsed: ParsedOrderRequest, refund_address: str
) -> Intent:
    """The intent that an on-ramp's provider pays into. Undeliverable crypto is refunded to the
    provider's `refund_address`."""
    assert parsed.address is not None
    fields = IntentFields(parsed.quote.token, parsed.address, refund_address)
    lifetime = intent_lifetime_seconds(parsed.channel)
    return build_intent(services, caller, fields, parsed.quote.intent_quote, lifetime)
