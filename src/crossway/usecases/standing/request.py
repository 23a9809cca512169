"""Parse and validate requests that create a standing address or change its rules."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Principal
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import FieldError, InvalidInput
from crossway.domain.money import Token, parse_units, rescale_down
from crossway.domain.price_risk import is_same_asset
from crossway.domain.standing import RATE_UNIT, StandingRules
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import active_kill_switches
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.chains.request_fields import parse_chain, parse_source_chain, parse_token
from crossway.usecases.validation_errors import ValidationErrors

MAX_METADATA_BYTES: Final = 7 * 1024
MAX_REFERENCE_LENGTH: Final = 100
MAX_TOKENS: Final = 10


@dataclass(frozen=True, slots=True)
class StandingRequest:
    """The fields of a request as received; None for those that were left out."""

    source_chain: object = None
    destination_chain: object = None
    recipient: object = None
    recovery_address: object = None
    token_out: object = None
    tokens: object = None
    minimum: object = None
    maximum: object = None
    reference: object = None
    metadata: object = None
    active: object = None
    cleared: frozenset[str] = frozenset()
    field_errors: Sequence[FieldError] = ()


@dataclass(frozen=True, slots=True)
class StandingRoute:
    """The route of a standing address, all of it from the catalogue, and who is paid."""

    source: Chain
    destination: Chain
    token_out: Token
    tokens: tuple[Token, ...]
    recipient: str
    recovery: str


def parse_route(
    services: Services, caller: Principal, request: StandingRequest, errors: ValidationErrors
) -> StandingRoute | None:
    """The route; None where a field of it is refused."""
    disabled = active_kill_switches(services)
    source = errors.collect(
        parse_source_chain, services, caller, disabled, request.source_chain, "source_chain"
    )
    destination = errors.collect(
        parse_chain, services, caller, disabled, request.destination_chain, "destination_chain"
    )
    recipient = recovery = token_out = None
    tokens: tuple[Token, ...] = ()
    if source is not None and errors.collect(_require_supported, services, source):
        recovery = errors.collect(
            parse_payable_address, services, source, request.recovery_address, "recovery_address"
        )
    if destination is not None:
        recipient = errors.collect(
            parse_payable_address, services, destination, request.recipient, "recipient"
        )
        token_out = errors.collect(_parse_token_out, services, caller, destination, request)
    if source is not None and token_out is not None:
        tokens = errors.collect(_parse_tokens, services, caller, source, token_out, request) or ()
    if not (source and destination and recipient and recovery and token_out and tokens):
        return None
    return StandingRoute(source, destination, token_out, tokens, recipient, recovery)


def _require_supported(services: Services, source: Chain) -> bool:
    contracts = services.chains[source.id].standing
    if contracts is None:
        raise InvalidInput(
            f"source_chain: {source.name} has no standing addresses, which are on EVM chains alone"
        )
    if source.testnet:
        raise InvalidInput(
            f"source_chain: {source.name} is a test network, on which deposits are not watched"
        )
    if not contracts.is_deployed():
        raise InvalidInput(
            f"source_chain: the contract of standing addresses is not deployed on {source.name}, "
            "or no node answers",
            ErrorCode.CHAIN_UNAVAILABLE,
        )
    return True


def _parse_token_out(
    services: Services, caller: Principal, destination: Chain, request: StandingRequest
) -> Token:
    if request.token_out is None:
        return services.catalogue.token(destination.id, "USDC", "token_out")
    return parse_token(services, caller, destination, request.token_out, "token_out")


def _parse_tokens(
    services: Services,
    caller: Principal,
    source: Chain,
    token_out: Token,
    request: StandingRequest,
) -> tuple[Token, ...]:
    """The accepted tokens, by default the one of the payout token's symbol."""
    if request.tokens is None:
        return (_at_par(services, source, token_out, None),)
    texts = request.tokens if isinstance(request.tokens, list | tuple) else []
    if not 1 <= len(texts) <= MAX_TOKENS:
        raise InvalidInput(f"tokens must be a list of 1 to {MAX_TOKENS} token addresses")
    parsed = [parse_token(services, caller, source, text, "tokens") for text in texts]
    return tuple(_at_par(services, source, token_out, token) for token in dict.fromkeys(parsed))


def _at_par(services: Services, source: Chain, token_out: Token, token: Token | None) -> Token:
    """The token, if no price lies between it and the payout token: what the contract enforces
    knows no price."""
    if token is None:
        token = services.catalogue.tokens.get((source.id, token_out.symbol))
        if token is None:
            raise InvalidInput(f"tokens is required, as {source.name} has no {token_out.symbol}")
    if not is_same_asset(services.catalogue.risks, token.symbol, token_out.symbol):
        raise InvalidInput(
            f"tokens: {token.symbol} and {token_out.symbol} are not worth the same; a standing "
            "address takes tokens of the payout's kind, such as dollars for dollars"
        )
    return token


def rate_of(token: Token, token_out: Token) -> int:
    """How many units of the payout token one unit of a token is at par, in `RATE_UNIT`."""
    return rescale_down(RATE_UNIT, token.decimals, token_out.decimals)


def parse_rules(
    request: StandingRequest, current: StandingRules, errors: ValidationErrors
) -> StandingRules:
    """The rules with what the request sets of them."""
    minimum, maximum, active = current.minimum, current.maximum, current.active
    if request.minimum is not None:
        minimum = errors.collect(parse_units, "minimum", request.minimum) or minimum
    if "maximum" in request.cleared:
        maximum = None
    elif request.maximum is not None:
        maximum = errors.collect(parse_units, "maximum", request.maximum)
    if maximum is not None and maximum < minimum:
        errors.add("maximum must not be below minimum")
    if request.active is not None:
        if not isinstance(request.active, bool):
            errors.add("active must be true or false")
        active = request.active is True
    return StandingRules(current.since, minimum, maximum, current.tokens, active)


def parse_reference(request: StandingRequest, current: str, errors: ValidationErrors) -> str:
    """The client's own reference."""
    if "reference" in request.cleared:
        return ""
    if request.reference is None:
        return current
    text = request.reference.strip() if isinstance(request.reference, str) else None
    if text is None or not text.isprintable() or len(text) > MAX_REFERENCE_LENGTH:
        errors.add(f"reference must be a text of up to {MAX_REFERENCE_LENGTH} characters")
        return current
    return text


def parse_metadata(
    request: StandingRequest, current: Mapping[str, Any], errors: ValidationErrors
) -> Mapping[str, Any]:
    """The client's own data, which each payment gets."""
    if "metadata" in request.cleared:
        return {}
    value = request.metadata
    if value is None:
        return current
    if not isinstance(value, Mapping):
        errors.add("metadata must be a JSON object")
        return current
    if len(json.dumps(value, separators=(",", ":")).encode()) > MAX_METADATA_BYTES:
        errors.add("metadata must be at most 7 KiB of JSON")
    return dict(value)
