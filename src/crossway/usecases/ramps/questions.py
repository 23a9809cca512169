"""One question for ramp quotes: as it came in, then read and checked field by field."""

import math
from dataclasses import dataclass, replace
from decimal import Decimal

from crossway.domain.catalogue import Chain
from crossway.domain.channels import Channel
from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput
from crossway.domain.fiat import Corridor, Rate, fiat_of_usd
from crossway.domain.identity import read_email
from crossway.domain.money import MICRO_USD_DECIMALS, Token, format_units, parse_decimal
from crossway.domain.pricing import worth
from crossway.domain.ramps import Direction
from crossway.ports.ramps import Capabilities
from crossway.ports.services import Services
from crossway.usecases.complaints import Complaints
from crossway.usecases.fields import chain_of
from crossway.usecases.network.switches import switched_off
from crossway.usecases.pricing.rates import rates


@dataclass(frozen=True, slots=True)
class RampQuestion:
    """What is asked, as text, number or None from the wire. Without `direction` it is an on-ramp,
    without `symbol` USDC; `channel` is the id of the only channel that shall be priced."""

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
class RampCase:
    """The question, read. `token` is what the user gets or sells on `chain`; `units` counts it in
    `decimals` places, `micro_usd` is its worth, `reference_minor` the same at the reference rate.
    """

    direction: Direction
    corridor: Corridor
    country: str
    rate: Rate
    chain: Chain
    token: Token
    decimals: int
    units: int
    micro_usd: int
    direct_only: bool
    email: str | None
    channel: str | None

    @property
    def reference_minor(self) -> int:
        """What the crypto is worth in minor units of the currency."""
        return self.fiat_of(self.micro_usd)

    def fiat_of(self, micro_usd: int) -> int:
        """Minor units for a worth at the reference rate, rounded up."""
        return fiat_of_usd(micro_usd, self.rate, self.corridor.currency.digits)

    def money(self, minor: int) -> str:
        """An amount of the currency for people, such as `1448.50 NGN`."""
        digits = self.corridor.currency.digits
        return f"{format_units(minor, digits, digits)} {self.corridor.currency.code}"

    def channels(self, can: Capabilities) -> tuple[Channel, ...]:
        """A provider's channels for this question, whatever the amount."""
        found = can.channels_for(
            self.direction, self.corridor.currency.code, self.country, self.direct_only
        )
        return tuple(one for one in found if self.channel is None or one.id == self.channel)


def read(services: Services, caller: Caller | None, asked: RampQuestion) -> RampCase:
    """The question, checked; raises `InvalidInput` with every complaint, each naming its field."""
    complaints, fiat = Complaints(), services.fiat
    direction = complaints.read(lambda: direction_of(asked.direction))
    corridor = complaints.read(lambda: fiat.corridor(asked.currency))
    country = None
    if corridor is not None:
        country = complaints.read(lambda: fiat.country(corridor, asked.country))
    chain = None if direction is None else _chain(services, caller, asked, direction, complaints)
    token = complaints.read(lambda: _token(services, chain, asked.symbol))
    places = 18 if token is None else _places(token)
    units = complaints.read(lambda: _positive(asked.amount, places))
    direct_only = complaints.read(lambda: _flag(asked.direct_only, "directOnly"))
    email = complaints.read(lambda: _email(asked.email))
    channel = complaints.read(lambda: _channel(asked.channel))
    complaints.refuse()
    assert direction and corridor and country and chain and token and units  # noqa: PT018
    side = rates(services, {token.symbol}).side(token.symbol, places, "amountSymbol")
    case = RampCase(
        direction, corridor, country, fiat.rates[corridor.currency.code], chain, token, places,
        units, worth(units, side), bool(direct_only), email, channel,
    )  # fmt: skip
    _within_limits(services, case)
    return case


def direction_of(given: object, default: Direction | None = Direction.ON) -> Direction:
    """The direction of this name; left out, the default."""
    if given is None and default is not None:
        return default
    if given not in tuple(Direction):
        raise InvalidInput(f"type must be one of {', '.join(Direction)}")
    return Direction(str(given))


def amount_of(field: str, given: object, decimals: int) -> int:
    """A number or a plain decimal text as units of 10**-decimals: exactly as it is written."""
    if isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given):
        given = f"{Decimal(repr(given)):f}"
        given = given.rstrip("0").rstrip(".") if "." in given else given
    return parse_decimal(field, given, decimals)


def _positive(given: object, decimals: int) -> int:
    units = amount_of("cryptoAmount", given, decimals)
    if not units:
        raise InvalidInput("cryptoAmount must be greater than zero")
    return units


def _chain(
    services: Services,
    caller: Caller | None,
    asked: RampQuestion,
    direction: Direction,
    complaints: Complaints,
) -> Chain | None:
    """The user's own chain. The other one may be named as well; it decides nothing."""
    named = (("destinationChain", asked.destination_chain), ("sourceChain", asked.source_chain))
    (field, own), (other, also) = named if direction is Direction.ON else named[::-1]
    if also is not None:
        complaints.read(lambda: _nameable(services, caller, also, other))
    if own is None:
        complaints.add(f"{field} is required for an {direction}")
        return None
    off = switched_off(services)
    return complaints.read(lambda: chain_of(services, caller, off, own, field))


def _nameable(services: Services, caller: Caller | None, name: object, field: str) -> None:
    """Refuse a chain that nobody knows, and a test network to a live key."""
    chain = services.catalogue.chain(name, field)
    if caller is not None:
        caller.may_use(chain.id, chain.testnet)


def _token(services: Services, chain: Chain | None, symbol: object) -> Token | None:
    name = services.catalogue.symbol("USDC" if symbol is None else symbol)
    return None if chain is None else services.catalogue.token(chain.id, name, "amountSymbol")


def _places(token: Token) -> int:
    """USDC means dollars, in millionths on every chain; every other token has its own places."""
    return MICRO_USD_DECIMALS if token.symbol == "USDC" else token.decimals


def _flag(given: object, field: str) -> bool:
    if given is None or isinstance(given, bool):
        return bool(given)
    if given in ("true", "false"):
        return given == "true"
    raise InvalidInput(f"{field} must be true or false")


def _email(given: object) -> str | None:
    return None if given is None or given == "" else read_email(given)


def _channel(given: object) -> str | None:
    if given is None or isinstance(given, str):
        return given
    raise InvalidInput("channel must be the id of a payment channel")


def _within_limits(services: Services, case: RampCase) -> None:
    """Refuse what no provider takes; what only some take, each of them says itself."""
    where = f"{case.corridor.currency.code} {case.direction}s"
    least = case.corridor.least_micro_usd.get(case.direction, 0)
    if case.micro_usd < least:
        usd = format_units(least, MICRO_USD_DECIMALS)
        raise InvalidInput(f"cryptoAmount is below the minimum of {usd} USD for {where}")
    every = replace(case, channel=None, direct_only=False)
    most = [c.max_minor for one in services.ramps for c in every.channels(one.capabilities)]
    if most and case.reference_minor > max(most):
        raise InvalidInput(
            f"cryptoAmount is above the maximum of {case.money(max(most))} for {where}"
        )
