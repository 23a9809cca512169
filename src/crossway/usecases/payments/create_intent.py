"""Parse and validate a create-intent request, and build the intent from it."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent, State, Terms
from crossway.domain.money import Token, parse_units
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import active_kill_switches
from crossway.usecases.chains.request_fields import parse_address, parse_chain, parse_token
from crossway.usecases.pricing.quotes import RoutedQuote
from crossway.usecases.validation_errors import ValidationErrors

MAX_METADATA_BYTES = 8 * 1024
MAX_LINK_ID_LENGTH = 255
_NONCE_BITS = 63
_BURN_ADDRESSES = frozenset(
    {
        "0x" + "0" * 40,
        "0x" + "0" * 64,
        "1" * 32,
        "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb",
    }
)


@dataclass(frozen=True, slots=True)
class CreateIntentRequest:
    """A create-intent request as text (service.md §2); None for fields that were left out.
    `field_errors` are sentences about fields that were refused before, when a body was parsed."""

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
    field_errors: Sequence[str] = ()


@dataclass
class ParsedRequest:
    """The parsed fields of a request; None for fields that are invalid. `amount` is in the smallest
    units of `amount_symbol`."""

    source: Chain | None = None
    destination: Chain | None = None
    token_in: Token | None = None
    token_out: Token | None = None
    amount: int | None = None
    amount_symbol: str | None = None
    recipient: str | None = None
    sender: str | None = None
    refund_address: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    payment_link_id: str | None = None


def parse(services: Services, caller: Principal, request: CreateIntentRequest) -> ParsedRequest:
    disabled, parsed = active_kill_switches(services), ParsedRequest()
    errors = ValidationErrors(request.field_errors)
    parsed.source = errors.collect(
        lambda: parse_chain(services, caller, disabled, request.source_chain, "source_chain")
    )
    parsed.destination = errors.collect(
        lambda: parse_chain(
            services, caller, disabled, request.destination_chain, "destination_chain"
        )
    )
    parsed.amount = errors.collect(lambda: parse_units("amount", request.amount))
    parsed.amount_symbol = errors.collect(
        lambda: services.catalogue.symbol(request.amount_symbol or "USDC")
    )
    if parsed.source is not None:
        _parse_source_fields(services, caller, request, parsed.source, parsed, errors)
    elif not request.token_in:
        errors.add("tokenIn is required")
    if parsed.destination is not None:
        _parse_destination_fields(services, request, parsed.destination, parsed, errors)
    elif not request.recipient:
        errors.add("recipient is required")
    parsed.metadata = errors.collect(lambda: _parse_metadata(request.metadata)) or {}
    parsed.payment_link_id = errors.collect(lambda: _parse_link_id(request.payment_link_id))
    errors.raise_if_any()
    return parsed


def _parse_source_fields(
    services: Services,
    caller: Principal,
    request: CreateIntentRequest,
    source: Chain,
    parsed: ParsedRequest,
    errors: ValidationErrors,
) -> None:
    parsed.token_in = errors.collect(
        lambda: parse_token(services, source, request.token_in, "tokenIn")
    )
    if request.sender is not None:
        parsed.sender = errors.collect(
            lambda: parse_address(services, source, request.sender, "sender")
        )
    if request.refund_address is not None:
        parsed.refund_address = errors.collect(
            lambda: parse_payable_address(
                services, source, request.refund_address, "refund_address"
            )
        )
    elif request.sender is None and (
        default_address := caller.client.refund_addresses.get(source.kind)
    ):
        parsed.refund_address = errors.collect(
            lambda: parse_payable_address(services, source, default_address, "refund_address")
        )
    elif request.sender is None:
        errors.add("refund_address or sender is required, so that the payment can be refunded")
    else:
        parsed.refund_address = errors.collect(
            lambda: parse_payable_address(services, source, request.sender, "sender")
        )


def _parse_destination_fields(
    services: Services,
    request: CreateIntentRequest,
    destination: Chain,
    parsed: ParsedRequest,
    errors: ValidationErrors,
) -> None:
    parsed.recipient = errors.collect(
        lambda: parse_payable_address(services, destination, request.recipient, "recipient")
    )
    if request.token_out is not None:
        parsed.token_out = errors.collect(
            lambda: parse_token(services, destination, request.token_out, "tokenOut")
        )
    elif parsed.token_in is not None:
        symbol = parsed.token_in.symbol
        parsed.token_out = errors.collect(lambda: _default_token_out(services, destination, symbol))


def _default_token_out(services: Services, destination: Chain, symbol: str) -> Token:
    """USDC on the destination chain, else the deposited symbol there (wire.md §2)."""
    try:
        return services.catalogue.token(destination.id, "USDC", "tokenOut")
    except InvalidInput:
        return services.catalogue.token(destination.id, symbol, "tokenOut")


def parse_payable_address(services: Services, chain: Chain, text: object, name: str) -> str:
    """The canonical spelling of an address that can receive payments; rejects burn addresses."""
    address = parse_address(services, chain, text, name)
    if address in _BURN_ADDRESSES:
        raise InvalidInput(f"{name} is the zero address: funds sent there are lost")
    return address


def _parse_metadata(value: Mapping[str, Any] | None) -> dict[str, Any]:
    if value is None:
        return {}
    if len(json.dumps(value, separators=(",", ":")).encode()) > MAX_METADATA_BYTES:
        raise InvalidInput("metadata must be at most 8 KiB of JSON")
    return dict(value)


def _parse_link_id(value: object) -> str | None:
    if value is None:
        return None
    is_printable = isinstance(value, str) and value.isprintable()
    if not is_printable or not 1 <= len(str(value)) <= MAX_LINK_ID_LENGTH:
        raise InvalidInput("payment_link_id must be a text of 1 to 255 printable characters")
    return str(value)


def build_intent(
    services: Services,
    caller: Principal,
    parsed: ParsedRequest,
    routed: RoutedQuote,
    life_seconds: int,
) -> Intent:
    """Build a pending intent; its deposit address is derived from its terms alone."""
    now = services.clock.now()
    terms = _build_terms(parsed, routed, now, life_seconds)
    quote = routed.quote
    source, destination = services.chains[quote.source], services.chains[quote.destination]
    intent_hash = source.intent_hash(terms)
    address = source.deposit_address(intent_hash)
    assert parsed.token_out is not None
    return Intent(
        id=0,
        client_id=caller.client.id,
        mode=caller.mode.value,
        intent_hash=intent_hash,
        address=address,
        destination_address=destination.deposit_address(intent_hash),
        deposit_token_account=source.deposit_token_account(address, quote.token_in),
        terms=terms,
        costs=routed.costs,
        sender=parsed.sender or "",
        requested_amount=quote.amount,
        amount_symbol=quote.amount_symbol,
        asset_symbol=quote.asset_symbol,
        asset_decimals=quote.asset_decimals,
        out_symbol=parsed.token_out.symbol,
        out_decimals=parsed.token_out.decimals,
        slippage=quote.slippage,
        settle_seconds=_settle_seconds(services, routed),
        bridge_data=routed.extra_data,
        coordinator=source.accounts.coordinator,
        bridger=source.accounts.bridger,
        metadata=parsed.metadata,
        payment_link_id=parsed.payment_link_id,
        state=State.PENDING,
        received_amount=0,
        balance_at_address=0,
        relayer="",
        relayer_claimed=False,
        needs_relay=False,
        tx_hash=None,
        created_at=now,
        updated_at=now,
    )


def _build_terms(
    parsed: ParsedRequest, routed: RoutedQuote, now: datetime, life_seconds: int
) -> Terms:
    # Whole seconds: the resolution of chain time and of `expires_at` in the API.
    expires_at = now.replace(microsecond=0) + timedelta(seconds=life_seconds)
    quote = routed.quote
    assert parsed.recipient is not None
    assert parsed.refund_address is not None
    return Terms(
        nonce=secrets.randbits(_NONCE_BITS),
        source_chain=quote.source,
        destination_chain=quote.destination,
        token_in=quote.token_in,
        token_out=quote.token_out,
        deposit_amount=quote.deposit_amount,
        payout_amount=quote.payout_amount,
        recipient=parsed.recipient,
        refund_address=parsed.refund_address,
        bridge=quote.bridge.value if quote.bridge else "",
        expires_at=expires_at,
    )


def _settle_seconds(services: Services, routed: RoutedQuote) -> int:
    bridge_seconds = routed.bridge_quote.settle_seconds if routed.bridge_quote else 0
    max_seconds = services.policy.max_settle_seconds
    return bridge_seconds if max_seconds is None else min(bridge_seconds, max_seconds)
