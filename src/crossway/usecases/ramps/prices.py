"""Asking providers for their price of the whole way, and judging what they answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from crossway.domain.channels import Channel
from crossway.domain.clients import Caller
from crossway.domain.fiat import Currency, usd_of_fiat
from crossway.domain.money import Token
from crossway.domain.pricing import worth
from crossway.domain.ramp_quotes import is_far, total_fees
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import Ask, Priced, ProviderRefused, RampProvider
from crossway.ports.services import Services
from crossway.usecases.pricing.asking import ask
from crossway.usecases.pricing.quotes import Routed
from crossway.usecases.pricing.rates import rates
from crossway.usecases.ramps.questions import RampCase
from crossway.usecases.ramps.ways import RampWay, ways_for


@dataclass(frozen=True, slots=True)
class RampQuote:
    """One provider's price for the whole way, all in integers.

    `fiat_minor` is what the user pays (on-ramp) or gets (off-ramp) by `channels[0]`, `fee_minor`
    the provider's own fee in it; `total_fees_minor` and `total_fees_micro_usd` are what all costs
    against the reference rate, bridge and service included. `crypto_units` of `token` is what was
    asked for, in `decimals` places. The provider delivers or takes `ramp_units` of `ramp_token`;
    `gross_units` is what the user of an off-ramp deposits of `token` in that token's own places
    (0 for an on-ramp). `routed` is the intent's quote. `rate_micro` is millionths of the currency
    per USD, the provider's; `seconds` how long it usually takes once it is paid.
    """

    provider: ProviderName
    title: str
    direction: Direction
    currency: Currency
    country: str
    fiat_minor: int
    fee_minor: int
    total_fees_minor: int
    total_fees_micro_usd: int
    rate_micro: int
    token: Token
    decimals: int
    crypto_units: int
    worth_micro_usd: int
    ramp_token: Token
    ramp_units: int
    gross_units: int
    routed: Routed
    channels: tuple[Channel, ...]
    seconds: int
    quote_id: str
    expires_at: datetime

    @property
    def requires_bridge(self) -> bool:
        """Whether the provider's chain is another than the user's."""
        return self.routed.offer is not None


@dataclass(frozen=True, slots=True)
class Answered:
    """The quotes that were given; by provider, why one refused, and why one gave no answer."""

    quotes: Sequence[RampQuote]
    refused: Mapping[str, str]
    silent: Mapping[str, str]


def ask_providers(
    services: Services,
    caller: Caller | None,
    case: RampCase,
    providers: Sequence[RampProvider],
) -> Answered:
    """Ask all of them at once; who is slow, broken or not to be trusted is left out and named."""
    ways = ways_for(services, caller, case, providers)
    refused = {name: way for name, way in ways.items() if isinstance(way, str)}
    asked = {str(one.name): one for one in providers if one.name not in refused}
    now = services.clock.now()
    questions = {name: _question(one, case, ways[name], now) for name, one in asked.items()}
    at_once = [name for name, one in asked.items() if one.at_once]
    answers = ask(services.asking, questions, services.policy.ramp_patience, at_once)
    found: list[RampQuote] = []
    for name, priced in answers.given.items():
        way = ways[name]
        assert isinstance(way, RampWay)
        if isinstance(priced, str):
            refused[name] = priced
        elif objection := _objection(services, case, way, priced, asked[name]):
            refused[name] = objection
        else:
            found.append(_quote(services, case, way, priced, asked[name]))
    return Answered(found, refused, {left.subject: left.reason for left in answers.missing})


def _question(
    provider: RampProvider, case: RampCase, way: RampWay | str, now: datetime
) -> Callable[[], Priced | str]:
    assert isinstance(way, RampWay)
    ask_for = Ask(
        case.direction, case.corridor.currency, case.country, way.token, way.units(case.direction)
    )
    channels = _likely(case, case.channels(provider.capabilities))

    def question() -> Priced | str:
        try:
            return provider.price(ask_for, channels, now)
        except ProviderRefused as refusal:
            return f"refuses: {refusal}"

    return question


def _likely(case: RampCase, channels: Sequence[Channel]) -> Sequence[Channel]:
    """The channels that may take such an amount, with a tenth of leeway for rates and fees; all,
    when none does: the provider then says why."""
    about = case.reference_minor
    likely = [
        c for c in channels if c.min_minor * 9 <= about * 10 and about * 9 <= c.max_minor * 10
    ]
    return likely or channels


def _objection(
    services: Services, case: RampCase, way: RampWay, priced: Priced, provider: RampProvider
) -> str:
    """Why a price is not to be trusted or not to be had; empty when it is sound."""
    known = {channel.id for channel in case.channels(provider.capabilities)}
    if not priced.channels or not {channel.id for channel in priced.channels} <= known:
        return "answered with channels that it does not have"
    if not 0 <= priced.fee_minor <= priced.fiat_minor or priced.rate_micro <= 0:
        return "answered with amounts that do not add up"
    if priced.expires_at <= services.clock.now():
        return "answered with a quote that has expired"
    reference = case.fiat_of(_worth(services, way.token, way.units(case.direction)))
    if is_far(priced.fiat_minor, reference):
        price, usual = case.money(priced.fiat_minor), case.money(reference)
        return f"named {price} where the reference rate of {case.rate.as_of} gives {usual}"
    first = priced.channels[0]
    if not first.min_minor <= priced.fiat_minor <= first.max_minor:
        low, high = case.money(first.min_minor), case.money(first.max_minor)
        return f"takes from {low} to {high} by {first.name}"
    return ""


def _quote(
    services: Services, case: RampCase, way: RampWay, priced: Priced, provider: RampProvider
) -> RampQuote:
    quote, on = way.routed.quote, case.direction is Direction.ON
    gross = 0 if on else quote.deposit_units
    spent = case.micro_usd if on else _worth(services, case.token, gross)
    fees = total_fees(case.direction, priced.fiat_minor, case.fiat_of(spent))
    fiat = priced.fiat_minor
    channels = tuple(c for c in priced.channels if c.min_minor <= fiat <= c.max_minor)
    life = timedelta(seconds=services.policy.quote_life_seconds)
    return RampQuote(
        provider=provider.name,
        title=provider.capabilities.title,
        direction=case.direction,
        currency=case.corridor.currency,
        country=case.country,
        fiat_minor=fiat,
        fee_minor=priced.fee_minor,
        total_fees_minor=fees,
        total_fees_micro_usd=usd_of_fiat(fees, case.rate, case.corridor.currency.digits),
        rate_micro=priced.rate_micro,
        token=case.token,
        decimals=case.decimals,
        crypto_units=case.units,
        worth_micro_usd=case.micro_usd,
        ramp_token=way.token,
        ramp_units=way.units(case.direction),
        gross_units=gross,
        routed=way.routed,
        channels=channels,
        seconds=quote.fill_seconds + channels[0].deliver_seconds,
        quote_id=priced.quote_id,
        expires_at=min(priced.expires_at, services.clock.now() + life),
    )


def _worth(services: Services, token: Token, units: int) -> int:
    """What an amount of a token is worth in micro-USD."""
    return worth(units, rates(services, {token.symbol}).side(token.symbol, token.decimals, "token"))
