"""Comparing ramp quotes, and listing the supported currencies and countries."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, QuotesUnavailable
from crossway.domain.fiat import Country, Currency, fiat_of_usd
from crossway.domain.kyc import KycAssessment
from crossway.domain.money import parse_decimal
from crossway.domain.payment_channels import Channel
from crossway.domain.quotes import ExcludedSource
from crossway.domain.ramp_quotes import near_cheapest, rank_quotes, recommend
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.services import Services
from crossway.usecases.kyc import verification
from crossway.usecases.kyc.corridors import parse_provider
from crossway.usecases.parallel_calls import call_all
from crossway.usecases.ramps.provider_quotes import RampQuote, get_provider_quotes
from crossway.usecases.ramps.quote_params import (
    RampQuoteParams,
    RampQuoteRequest,
    parse,
    parse_direction,
)
from crossway.usecases.validation_errors import ValidationErrors

MAX_DECIMAL_PLACES = 60


@dataclass(frozen=True, slots=True)
class RampComparison:
    """All quotes, cheapest first; the queried providers, and those excluded with a reason."""

    quotes: tuple[RampQuote, ...]
    recommended: RampQuote | None
    queried: tuple[ProviderName, ...]
    excluded: tuple[ExcludedSource, ...]


@dataclass(frozen=True, slots=True)
class SupportedCurrency:
    """A supported currency with the order limits in minor units; the first country is the
    default."""

    currency: Currency
    min_minor: int
    max_minor: int
    countries: tuple[str, ...]
    providers: tuple[ProviderName, ...]


@dataclass(frozen=True, slots=True)
class SupportedCountry:
    """A country where ramps are offered, with one of its currencies as it is offered there."""

    country: Country
    currency: SupportedCurrency


def compare_quotes(
    services: Services, caller: Principal | None, request: RampQuoteRequest
) -> RampComparison:
    """Compare the quotes of all providers in the corridor."""
    params = parse(services, caller, request)
    eligible = [
        provider for provider in services.ramps if params.matching_channels(provider.capabilities)
    ]
    responses = get_provider_quotes(services, caller, params, eligible)
    ranked_quotes = rank_quotes(responses.quotes)
    verified = (
        _verified_providers(services, caller, params, near_cheapest(ranked_quotes))
        if params.email and caller is not None
        else frozenset()
    )
    reasons = {**responses.refused, **responses.unanswered}
    excluded = [ExcludedSource(name, reason) for name, reason in reasons.items()]
    return RampComparison(
        quotes=ranked_quotes,
        recommended=recommend(ranked_quotes, verified),
        queried=tuple(provider.name for provider in eligible),
        excluded=tuple(sorted(excluded, key=lambda source: source.subject)),
    )


def get_quote_for_order(
    services: Services, caller: Principal | None, request: RampQuoteRequest, provider: object
) -> RampQuote:
    """One provider's quote. Raises `InvalidInput` with the provider's reason, and
    `QuotesUnavailable` when it does not answer."""
    params = parse(services, caller, request)
    selected = parse_provider(services, provider)
    corridor_text = f"{params.corridor.currency.code} {params.direction}s in {params.country}"
    if not replace(params, channel=None).matching_channels(selected.capabilities):
        suffix = " by direct channels" if params.direct_only else ""
        raise InvalidInput(f"provider: {selected.name} offers no {corridor_text}{suffix}")
    if not params.matching_channels(selected.capabilities):
        raise InvalidInput(f"channel: {selected.name} has no such channel for {corridor_text}")
    responses = get_provider_quotes(services, caller, params, [selected])
    if responses.quotes:
        return responses.quotes[0]
    if responses.unanswered:
        raise QuotesUnavailable(f"{selected.name} {responses.unanswered[selected.name]}")
    raise InvalidInput(f"provider: {selected.name} {responses.refused[selected.name]}")


def list_currencies(
    services: Services, caller: Principal | None, provider: object = None, direction: object = None
) -> list[SupportedCurrency]:
    """The supported currencies, optionally of one provider or direction. Off-ramps count only
    with direct (server-to-server) payouts."""
    errors = ValidationErrors()
    selected = None if provider is None else errors.collect(parse_provider, services, provider)
    parsed_direction = None if direction is None else errors.collect(parse_direction, direction)
    errors.raise_if_any()
    providers = services.ramps if selected is None else [selected]
    channels_by_currency: dict[str, list[tuple[ProviderName, Channel]]] = {
        code: [] for code in services.fiat.corridors
    }
    for ramp_provider in providers:
        for channel in ramp_provider.capabilities.channels:
            if (parsed_direction is None or channel.direction is parsed_direction) and (
                channel.direct or channel.direction is Direction.ON
            ):
                channels_by_currency[channel.currency].append((ramp_provider.name, channel))
    return [
        _supported_currency(services, code, channels)
        for code, channels in channels_by_currency.items()
        if channels
    ]


def list_countries(
    services: Services, caller: Principal | None, currency: object = None, amount: object = None
) -> list[SupportedCountry]:
    """Each country with each of its currencies in which some provider has a channel, ordered by
    name; of one currency, or where orders of `amount` in the currency are taken, if given."""
    errors = ValidationErrors()
    wanted = units = None
    if currency is not None:
        wanted = errors.collect(services.fiat.corridor, currency, "currency")
    if amount is not None:
        units = errors.collect(parse_decimal, "amount", amount, MAX_DECIMAL_PLACES)
    errors.raise_if_any()
    channels: dict[tuple[str, str], list[tuple[ProviderName, Channel]]] = {}
    for provider in services.ramps:
        for channel in provider.capabilities.channels:
            is_wanted = wanted is None or channel.currency == currency
            if is_wanted and (units is None or _takes(services, channel, units)):
                for country in channel.countries:
                    offered = channels.setdefault((country, channel.currency), [])
                    offered.append((provider.name, channel))
    supported = [
        SupportedCountry(
            services.fiat.countries[country], _supported_currency(services, code, offered)
        )
        for (country, code), offered in channels.items()
    ]
    return sorted(supported, key=lambda e: (e.country.name, e.currency.currency.code))


def _takes(services: Services, channel: Channel, units: int) -> bool:
    """Whether a channel takes an amount of its currency, with `MAX_DECIMAL_PLACES`."""
    digits = services.fiat.corridors[channel.currency].currency.digits
    scale: int = 10 ** (MAX_DECIMAL_PLACES - digits)
    return _least_minor(services, channel) * scale <= units <= channel.max_minor * scale


def _least_minor(services: Services, channel: Channel) -> int:
    corridor = services.fiat.corridors[channel.currency]
    rate, digits = services.fiat.rates[channel.currency], corridor.currency.digits
    least = fiat_of_usd(corridor.min_micro_usd[channel.direction], rate, digits)
    return max(least, channel.min_minor)


def _supported_currency(
    services: Services, code: str, channels: Sequence[tuple[ProviderName, Channel]]
) -> SupportedCurrency:
    corridor = services.fiat.corridors[code]
    served_countries = {country for _, channel in channels for country in channel.countries}
    return SupportedCurrency(
        currency=corridor.currency,
        min_minor=min(_least_minor(services, channel) for _, channel in channels),
        max_minor=max(channel.max_minor for _, channel in channels),
        countries=tuple(country for country in corridor.countries if country in served_countries),
        providers=tuple(dict.fromkeys(name for name, _ in channels)),
    )


def _verified_providers(
    services: Services,
    caller: Principal,
    params: RampQuoteParams,
    candidates: Sequence[RampQuote],
) -> Collection[ProviderName]:
    """The providers among `candidates` with which the user has passed the KYC required for this
    amount. Providers that do not answer are not included."""
    if len(candidates) < 2:
        return frozenset()

    def build_call(quote: RampQuote) -> Callable[[], KycAssessment]:
        amount_micro_usd, code = quote.value_micro_usd, quote.currency.code
        return lambda: verification.assess_order(
            services, caller, quote.provider, params.email, params.country, code, amount_micro_usd
        )

    calls = {f"{quote.provider} identity": build_call(quote) for quote in candidates}
    results = call_all(services.executor, calls, services.policy.ramp_quote_timeouts).results
    return {
        quote.provider
        for quote in candidates
        if (assessment := results.get(f"{quote.provider} identity")) is not None
        and assessment.can_proceed
        and assessment.remaining_micro_usd >= quote.value_micro_usd
    }
