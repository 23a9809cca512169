"""Ramp quotes: what every provider asks or pays, compared, and one of them for an order."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from crossway.domain.channels import Channel
from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput, QuotesUnavailable
from crossway.domain.fiat import Currency, usd_of_fiat
from crossway.domain.kyc import KycState
from crossway.domain.money import Token
from crossway.domain.pricing import Side, worth
from crossway.domain.quotes import LeftOut
from crossway.domain.ramp_quotes import is_far, near_cheapest, ranked, recommended, total_fees
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import Ask, Priced, ProviderRefused, RampProvider
from crossway.ports.services import Services
from crossway.usecases import kyc
from crossway.usecases.asking import ask
from crossway.usecases.kyc_corridors import provider_named
from crossway.usecases.quotes import Routed
from crossway.usecases.ramp_questions import RampCase, RampQuestion, read
from crossway.usecases.ramp_ways import RampWay, ways_for
from crossway.usecases.rates import rates


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
class RampComparison:
    """All quotes, cheapest first; who was asked, and who of them gave no quote and why."""

    quotes: tuple[RampQuote, ...]
    recommended: RampQuote | None
    queried: tuple[ProviderName, ...]
    left_out: tuple[LeftOut, ...]


def quotes(services: Services, caller: Caller | None, asked: RampQuestion) -> RampComparison:
    """What every provider of the corridor asks or pays (service.md §10)."""
    case = read(services, caller, asked)
    eligible = [one for one in services.ramps if case.channels(one.capabilities)]
    found, refused, silent = _ask_all(services, caller, case, eligible)
    order = ranked(found)
    passed = _passed(services, case, near_cheapest(order)) if case.email else frozenset()
    left_out = [LeftOut(name, why) for name, why in (refused | silent).items()]
    return RampComparison(
        quotes=order,
        recommended=recommended(order, passed),
        queried=tuple(one.name for one in eligible),
        left_out=tuple(sorted(left_out, key=lambda left: left.subject)),
    )


def quote_for_order(
    services: Services, caller: Caller | None, asked: RampQuestion, provider: object
) -> RampQuote:
    """One provider's quote. Raises `InvalidInput` in words when it gives none, and
    `QuotesUnavailable` when it does not answer."""
    case = read(services, caller, asked)
    named = provider_named(services, provider)
    what = f"{case.corridor.currency.code} {case.direction}s in {case.country}"
    if not replace(case, channel=None).channels(named.capabilities):
        how = " by direct channels" if case.direct_only else ""
        raise InvalidInput(f"provider: {named.name} offers no {what}{how}")
    if not case.channels(named.capabilities):
        raise InvalidInput(f"channel: {named.name} has no such channel for {what}")
    found, refused, silent = _ask_all(services, caller, case, [named])
    if found:
        return found[0]
    if silent:
        raise QuotesUnavailable(f"{named.name} {silent[named.name]}")
    raise InvalidInput(f"cryptoAmount: {named.name} {refused[named.name]}")


def _ask_all(
    services: Services,
    caller: Caller | None,
    case: RampCase,
    providers: Sequence[RampProvider],
) -> tuple[list[RampQuote], dict[str, str], dict[str, str]]:
    """The quotes of these providers, who refused and who was silent, with the reasons."""
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
    return found, refused, {left.subject: left.reason for left in answers.missing}


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
    pico_usd = rates(services, {token.symbol}).side(token.symbol, token.decimals, "token").pico_usd
    return worth(units, Side(token.symbol, token.decimals, pico_usd))


def _passed(
    services: Services, case: RampCase, near: Sequence[RampQuote]
) -> Collection[ProviderName]:
    """Of providers that cost about the same, those whose identity check the user has passed, far
    enough for this amount. Who gives no answer is not among them."""
    if len(near) < 2:
        return frozenset()

    def standing(quote: RampQuote) -> Callable[[], KycState]:
        worth, code = quote.worth_micro_usd, quote.currency.code
        return lambda: kyc.gate(services, quote.provider, case.email, case.country, code, worth)

    questions = {f"{quote.provider} identity": standing(quote) for quote in near}
    given = ask(services.asking, questions, services.policy.ramp_patience).given
    return {
        quote.provider
        for quote in near
        if (state := given.get(f"{quote.provider} identity")) is not None
        and state.remaining_micro_usd >= quote.worth_micro_usd
    }
