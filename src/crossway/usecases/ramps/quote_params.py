"""Parsing and validating the parameters of a ramp quote."""

import math
from dataclasses import dataclass, replace
from decimal import Decimal

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Principal
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput
from crossway.domain.fiat import Corridor, Rate, fiat_of_usd
from crossway.domain.kyc_fields import parse_email
from crossway.domain.money import MICRO_USD_DECIMALS, Token, format_units, parse_decimal
from crossway.domain.payment_channels import Channel
from crossway.domain.pricing import usd_value
from crossway.domain.ramps import Direction
from crossway.ports.ramps import Capabilities
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import active_kill_switches
from crossway.usecases.chains.request_fields import (
    parse_chain,
    parse_known_chain,
    parse_source_chain,
)
from crossway.usecases.pricing.price_snapshot import take_price_snapshot
from crossway.usecases.validation_errors import ValidationErrors


@dataclass(frozen=True, slots=True)
class RampQuoteRequest:
    """The raw parameters: text, number or None. `direction` defaults to on-ramp and `symbol` to
    USDC; `channel` restricts the quote to one channel id."""

    direction: object = None
    currency: object = None
    amount: object = None
    destination_chain: object = None
    source_chain: object = None
    symbol: object = None
    country: object = None
    direct_only: object = None
    email: object = None
    channel: object = None


@dataclass(frozen=True, slots=True)
class RampQuoteParams:
    """Validated parameters. `amount` of `token`, with `decimals` places, is what the user receives
    or sells on `chain`; `micro_usd` is its value, and `reference_minor` the same in the currency
    at the reference rate."""

    direction: Direction
    corridor: Corridor
    country: str
    rate: Rate
    chain: Chain
    token: Token
    decimals: int
    amount: int
    micro_usd: int
    direct_only: bool
    email: str | None
    channel: str | None

    @property
    def reference_minor(self) -> int:
        """The value of the crypto in minor units of the currency."""
        return self.to_fiat_minor(self.micro_usd)

    def to_fiat_minor(self, micro_usd: int) -> int:
        """Convert micro-USD to minor units at the reference rate, rounded up."""
        return fiat_of_usd(micro_usd, self.rate, self.corridor.currency.digits)

    def format_fiat(self, minor: int) -> str:
        """An amount of the currency for display, such as `1448.50 NGN`."""
        digits = self.corridor.currency.digits
        return f"{format_units(minor, digits, digits)} {self.corridor.currency.code}"

    def matching_channels(self, capabilities: Capabilities) -> tuple[Channel, ...]:
        """A provider's channels for these parameters, regardless of the amount."""
        channels = capabilities.channels_for(
            self.direction, self.corridor.currency.code, self.country, self.direct_only
        )
        return tuple(
            channel for channel in channels if self.channel is None or channel.id == self.channel
        )


def parse(
    services: Services, caller: Principal | None, request: RampQuoteRequest
) -> RampQuoteParams:
    """Validate the parameters. Raises `InvalidInput` with all validation errors."""
    errors = ValidationErrors()
    direction = errors.collect(parse_direction, request.direction)
    corridor, country = _parse_corridor(services, request, errors)
    chain = (
        None
        if direction is None
        else _parse_user_chain(services, caller, request, direction, errors)
    )
    token = errors.collect(_parse_token, services, chain, request.symbol)
    decimals = 18 if token is None else _amount_decimals(token)
    amount = errors.collect(_parse_positive_amount, request.amount, decimals)
    direct_only = errors.collect(_parse_flag, request.direct_only, "directOnly")
    email = errors.collect(_parse_email, request.email)
    channel = errors.collect(_parse_channel_id, request.channel)
    errors.raise_if_any()
    assert direction and corridor and country and chain and token and amount  # noqa: PT018
    priced_token = take_price_snapshot(services, {token.symbol}).priced_token(
        token.symbol, decimals, "amountSymbol"
    )
    params = RampQuoteParams(
        direction=direction,
        corridor=corridor,
        country=country,
        rate=services.fiat.rates[corridor.currency.code],
        chain=chain,
        token=token,
        decimals=decimals,
        amount=amount,
        micro_usd=usd_value(amount, priced_token),
        direct_only=bool(direct_only),
        email=email,
        channel=channel,
    )
    _check_limits(services, params)
    return params


def parse_direction(value: object, default: Direction | None = Direction.ON) -> Direction:
    """The direction of this name; `default` when omitted."""
    if value is None and default is not None:
        return default
    if value not in tuple(Direction):
        raise InvalidInput(f"type must be one of {', '.join(Direction)}")
    return Direction(str(value))


def parse_amount(field: str, value: object, decimals: int) -> int:
    """A number or a decimal text in base units, converted exactly as written."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        value = f"{Decimal(repr(value)):f}"
        value = value.rstrip("0").rstrip(".") if "." in value else value
    return parse_decimal(field, value, decimals)


def _parse_positive_amount(value: object, decimals: int) -> int:
    amount = parse_amount("cryptoAmount", value, decimals)
    if not amount:
        raise InvalidInput("cryptoAmount must be greater than zero")
    return amount


def _parse_corridor(
    services: Services, request: RampQuoteRequest, errors: ValidationErrors
) -> tuple[Corridor | None, str | None]:
    """The currency's corridor and the country in it."""
    corridor = errors.collect(services.fiat.corridor, request.currency)
    if corridor is None:
        return None, None
    return corridor, errors.collect(services.fiat.country, corridor, request.country)


def _parse_user_chain(
    services: Services,
    caller: Principal | None,
    request: RampQuoteRequest,
    direction: Direction,
    errors: ValidationErrors,
) -> Chain | None:
    """The user's own chain. The other chain is validated when given, and otherwise ignored."""
    chain_fields = (
        ("destinationChain", request.destination_chain),
        ("sourceChain", request.source_chain),
    )
    (field, own_name), (other_field, other_name) = (
        chain_fields if direction is Direction.ON else chain_fields[::-1]
    )
    if other_name is not None:
        errors.collect(parse_known_chain, services, caller, other_name, other_field)
    if own_name is None:
        errors.add(f"{field} is required for an {direction}", ErrorCode.PARAMETER_MISSING)
        return None
    kill_switches = active_kill_switches(services)
    parse = parse_chain if direction is Direction.ON else parse_source_chain
    return errors.collect(parse, services, caller, kill_switches, own_name, field)


def _parse_token(services: Services, chain: Chain | None, symbol: object) -> Token | None:
    name = services.catalogue.symbol("USDC" if symbol is None else symbol)
    return None if chain is None else services.catalogue.token(chain.id, name, "amountSymbol")


def _amount_decimals(token: Token) -> int:
    """6 decimals for USDC on every chain; any other token's own decimals."""
    return MICRO_USD_DECIMALS if token.symbol == "USDC" else token.decimals


def _parse_flag(value: object, field: str) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    if value in ("true", "false"):
        return value == "true"
    raise InvalidInput(f"{field} must be true or false")


def _parse_email(value: object) -> str | None:
    return None if value is None or value == "" else parse_email(value)


def _parse_channel_id(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise InvalidInput("channel must be the id of a payment channel")


def _check_limits(services: Services, params: RampQuoteParams) -> None:
    """Refuse amounts outside every provider's limits; a single provider refuses in its quote."""
    corridor = f"{params.corridor.currency.code} {params.direction}s"
    minimum = params.corridor.min_micro_usd.get(params.direction, 0)
    if params.micro_usd < minimum:
        usd = format_units(minimum, MICRO_USD_DECIMALS)
        raise InvalidInput(
            f"cryptoAmount is below the minimum of {usd} USD for {corridor}",
            ErrorCode.AMOUNT_OUT_OF_RANGE,
        )
    unrestricted = replace(params, channel=None, direct_only=False)
    maximums = [
        channel.max_minor
        for provider in services.ramps
        for channel in unrestricted.matching_channels(provider.capabilities)
    ]
    if maximums and params.reference_minor > max(maximums):
        maximum = params.format_fiat(max(maximums))
        raise InvalidInput(
            f"cryptoAmount is above the maximum of {maximum} for {corridor}",
            ErrorCode.AMOUNT_OUT_OF_RANGE,
        )
