"""Requesting quotes from providers and validating them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from crossway.domain.clients import Principal
from crossway.domain.fiat import Currency, usd_of_fiat
from crossway.domain.money import Token
from crossway.domain.payment_channels import Channel
from crossway.domain.pricing import usd_value
from crossway.domain.quotes import Quote
from crossway.domain.ramp_quotes import is_price_outlier, total_fees
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import ProviderQuote, ProviderQuoteRequest, ProviderRejected, RampProvider
from crossway.ports.services import Services
from crossway.usecases.parallel_calls import call_all
from crossway.usecases.pricing.price_snapshot import take_price_snapshot
from crossway.usecases.ramps.order_intents import MIN_PAY_SECONDS, pay_seconds_of
from crossway.usecases.ramps.quote_params import RampQuoteParams
from crossway.usecases.ramps.settlement_routes import (
    NoRoute,
    SettlementRoute,
    find_settlement_routes,
)


@dataclass(frozen=True, slots=True)
class RampQuote:
    """One provider's price from the user's payment to the delivery, all in integers.

    `fiat_minor` is what the user pays (on-ramp) or receives (off-ramp) through `channels[0]`, and
    `fee_minor` the provider's own fee in it. `total_fees_minor` and `total_fees_micro_usd` are the
    total cost against the reference rate, bridge and service fees included. `crypto_units` of
    `token`, with `decimals` places, is the requested amount. The provider delivers or receives
    `ramp_units` of `ramp_token`; `gross_units` is what the user of an off-ramp deposits of `token`
    in the token's own decimals (0 for an on-ramp). `intent_quote` is the quote of the order's
    intent. `rate_micro` is the provider's rate in millionths of the currency per USD, and `seconds`
    the usual time from payment to delivery.
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
    value_micro_usd: int
    ramp_token: Token
    ramp_units: int
    gross_units: int
    intent_quote: Quote
    channels: tuple[Channel, ...]
    seconds: int
    quote_id: str
    expires_at: datetime

    @property
    def requires_bridge(self) -> bool:
        """Whether the provider settles on another chain than the user's."""
        return self.intent_quote.bridge is not None


@dataclass(frozen=True, slots=True)
class ProviderQuotes:
    """The valid quotes, and by provider the reason of a refusal or of a missing answer."""

    quotes: Sequence[RampQuote]
    refused: Mapping[str, str]
    unanswered: Mapping[str, str]


def get_provider_quotes(
    services: Services,
    caller: Principal | None,
    params: RampQuoteParams,
    providers: Sequence[RampProvider],
) -> ProviderQuotes:
    """Request quotes from all providers in parallel. Providers that refuse, time out or return an
    invalid quote are excluded with a reason."""
    routes = find_settlement_routes(services, caller, params, providers)
    routeless = {name: r for name, r in routes.items() if isinstance(r, NoRoute)}
    refused = {name: r.reason for name, r in routeless.items() if not r.is_unanswered}
    unanswered = {name: r.reason for name, r in routeless.items() if r.is_unanswered}
    eligible = {
        str(provider.name): provider for provider in providers if provider.name not in routeless
    }
    now = services.clock.now()
    calls = {
        name: _build_call(provider, params, routes[name], now)
        for name, provider in eligible.items()
    }
    in_process = [name for name, provider in eligible.items() if provider.runs_in_process]
    responses = call_all(services.executor, calls, services.policy.ramp_quote_timeouts, in_process)
    quotes: list[RampQuote] = []
    for name, quote in responses.results.items():
        route = routes[name]
        assert isinstance(route, SettlementRoute)
        if isinstance(quote, str):
            refused[name] = quote
        elif problem := _find_quote_problem(services, params, route, quote, eligible[name]):
            refused[name] = problem
        else:
            quotes.append(_build_ramp_quote(services, params, route, quote, eligible[name]))
    unanswered |= {source.subject: source.reason for source in responses.excluded}
    return ProviderQuotes(quotes, refused, unanswered)


def _build_call(
    provider: RampProvider, params: RampQuoteParams, route: SettlementRoute | NoRoute, now: datetime
) -> Callable[[], ProviderQuote | str]:
    assert isinstance(route, SettlementRoute)
    request = ProviderQuoteRequest(
        params.direction,
        params.corridor.currency,
        params.country,
        route.token,
        route.ramp_amount(params.direction),
    )
    in_time = _channels_in_time(params, provider, route)
    channels = _select_channels(params, in_time)

    def call() -> ProviderQuote | str:
        try:
            return provider.get_quote(request, channels, now)
        except ProviderRejected as rejection:
            return f"refuses: {rejection}"

    return call


def _channels_in_time(
    params: RampQuoteParams, provider: RampProvider, route: SettlementRoute
) -> tuple[Channel, ...]:
    """The provider's channels; of an off-ramp those that wait long enough for crypto that a bridge
    carries."""
    channels = params.matching_channels(provider.capabilities)
    if params.direction is Direction.ON or route.quote.bridge is None:
        return channels
    return tuple(c for c in channels if pay_seconds_of(c, route.quote) >= MIN_PAY_SECONDS)


def _select_channels(params: RampQuoteParams, channels: Sequence[Channel]) -> Sequence[Channel]:
    """The channels whose limits may fit the amount, with 10 % tolerance for rates and fees; all
    channels when none fits, so that the provider gives the reason."""
    reference = params.reference_minor
    matching = [
        c
        for c in channels
        if c.min_minor * 9 <= reference * 10 and reference * 9 <= c.max_minor * 10
    ]
    return matching or channels


def _find_quote_problem(
    services: Services,
    params: RampQuoteParams,
    route: SettlementRoute,
    quote: ProviderQuote,
    provider: RampProvider,
) -> str:
    """Why a quote is invalid or outside the channel's limits; empty when it is valid."""
    allowed_ids = {channel.id for channel in params.matching_channels(provider.capabilities)}
    if not quote.channels or not {channel.id for channel in quote.channels} <= allowed_ids:
        return "answered with unknown channels"
    if not 0 <= quote.fee_minor <= quote.fiat_minor or quote.rate_micro <= 0:
        return "answered with amounts that do not add up"
    if quote.expires_at <= services.clock.now():
        return "answered with a quote that has expired"
    reference = params.to_fiat_minor(
        _usd_value(services, route.token, route.ramp_amount(params.direction))
    )
    if is_price_outlier(quote.fiat_minor, reference):
        price, expected = params.format_fiat(quote.fiat_minor), params.format_fiat(reference)
        return f"quoted {price}, but the reference rate of {params.rate.as_of} gives {expected}"
    channel_to_use = quote.channels[0]
    if not channel_to_use.min_minor <= quote.fiat_minor <= channel_to_use.max_minor:
        low, high = (
            params.format_fiat(channel_to_use.min_minor),
            params.format_fiat(channel_to_use.max_minor),
        )
        return f"takes from {low} to {high} by {channel_to_use.name}"
    return ""


def _build_ramp_quote(
    services: Services,
    params: RampQuoteParams,
    route: SettlementRoute,
    quote: ProviderQuote,
    provider: RampProvider,
) -> RampQuote:
    intent_quote, is_on_ramp = route.quote, params.direction is Direction.ON
    deposit_amount = 0 if is_on_ramp else intent_quote.deposit_amount
    spent_micro_usd = (
        params.micro_usd if is_on_ramp else _usd_value(services, params.token, deposit_amount)
    )
    fees = total_fees(params.direction, quote.fiat_minor, params.to_fiat_minor(spent_micro_usd))
    fiat_minor = quote.fiat_minor
    channels = tuple(c for c in quote.channels if c.min_minor <= fiat_minor <= c.max_minor)
    max_age = timedelta(seconds=services.policy.quote_life_seconds)
    return RampQuote(
        provider=provider.name,
        title=provider.capabilities.title,
        direction=params.direction,
        currency=params.corridor.currency,
        country=params.country,
        fiat_minor=fiat_minor,
        fee_minor=quote.fee_minor,
        total_fees_minor=fees,
        total_fees_micro_usd=usd_of_fiat(fees, params.rate, params.corridor.currency.digits),
        rate_micro=quote.rate_micro,
        token=params.token,
        decimals=params.decimals,
        crypto_units=params.amount,
        value_micro_usd=params.micro_usd,
        ramp_token=route.token,
        ramp_units=route.ramp_amount(params.direction),
        gross_units=deposit_amount,
        intent_quote=intent_quote,
        channels=channels,
        seconds=intent_quote.fill_seconds + channels[0].deliver_seconds,
        quote_id=quote.quote_id,
        expires_at=min(quote.expires_at, services.clock.now() + max_age),
    )


def _usd_value(services: Services, token: Token, amount: int) -> int:
    """The value of an amount of a token in micro-USD."""
    prices = take_price_snapshot(services, {token.symbol})
    return usd_value(amount, prices.priced_token(token.symbol, token.decimals, "token"))
