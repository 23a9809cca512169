"""A request to create an intent: parsed and validated, field by field."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Principal
from crossway.domain.errors import FieldError, InvalidInput, MissingInput
from crossway.domain.money import Token, parse_units
from crossway.domain.network_costs import Arrival
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import active_kill_switches
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.chains.request_fields import (
    parse_address,
    parse_chain,
    parse_source_chain,
    parse_token,
)
from crossway.usecases.payments.link_reference import parse_link_id
from crossway.usecases.pricing.priced_request import RequestedRoute
from crossway.usecases.validation_errors import ValidationErrors

MAX_METADATA_BYTES = 8 * 1024


@dataclass(frozen=True, slots=True)
class CreateIntentRequest:
    """A create-intent request as text; None for fields that were left out. `by_payer`: it comes by
    a payment link, and `payer` is the digest of the network address that it came from.
    `by_signature`: its quote pays for carrying out the payer's signature. `field_errors` are about
    fields that were refused before, when a body was parsed."""

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
    by_signature: bool = False
    field_errors: Sequence[FieldError] = ()

    @property
    def arrival(self) -> Arrival:
        """How the deposit comes."""
        return Arrival.SIGNED if self.by_signature else Arrival.SENT


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
    """A valid request; `amount` is in the smallest units of `amount_symbol`, `payer` as in the
    request."""

    route: RequestedRoute
    amount: int
    amount_symbol: str
    fields: IntentFields
    payer: str = ""


def parse(
    services: Services,
    caller: Principal,
    request: CreateIntentRequest,
    is_deposit_address: Callable[[str], bool],
) -> ParsedRequest:
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
    payable = partial(parse_payable_address, services, is_deposit_address=is_deposit_address)
    token_in = sender = refund_address = recipient = token_out = None
    if source is not None:
        token_in = errors.collect(
            parse_token, services, caller, source, request.token_in, "tokenIn"
        )
        if request.sender is not None:
            sender = errors.collect(parse_address, services, source, request.sender, "sender")
        refund_address = errors.collect(_parse_refund_address, payable, caller, request, source)
    if destination is not None:
        recipient = errors.collect(payable, destination, request.recipient, "recipient")
        token_out = errors.collect(
            _parse_token_out, services, caller, destination, request, token_in
        )
    metadata = errors.collect(_parse_metadata, request.metadata)
    link_id = errors.collect(_parse_link, services, caller, request)
    errors.raise_if_any()
    assert source and destination and token_in and token_out and amount and symbol  # noqa: PT018
    assert recipient and refund_address and metadata is not None  # noqa: PT018
    sides = source, destination, token_in, token_out, recipient
    route = RequestedRoute(*sides, arrival=request.arrival)
    whom, more = (recipient, refund_address, sender or ""), (metadata, link_id, request.by_payer)
    fields = IntentFields(token_out, *whom, *more)
    return ParsedRequest(route, amount, symbol, fields, request.payer)


def _parse_refund_address(
    payable: Callable[[Chain, object, str], str],
    caller: Principal,
    request: CreateIntentRequest,
    source: Chain,
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
    return payable(source, text, name)


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
