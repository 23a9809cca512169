"""Ramp quotes: what every provider asks or pays, compared; and where ramps are offered."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from crossway.domain.channels import Channel
from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput, QuotesUnavailable
from crossway.domain.fiat import Country, Currency, fiat_of_usd
from crossway.domain.kyc import KycState
from crossway.domain.quotes import LeftOut
from crossway.domain.ramp_quotes import near_cheapest, ranked, recommended
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.services import Services
from crossway.usecases.complaints import Complaints
from crossway.usecases.identity import kyc
from crossway.usecases.identity.corridors import provider_named
from crossway.usecases.pricing.asking import ask
from crossway.usecases.ramps.prices import RampQuote, ask_providers
from crossway.usecases.ramps.questions import RampCase, RampQuestion, direction_of, read


@dataclass(frozen=True, slots=True)
class RampComparison:
    """All quotes, cheapest first; who was asked, and who of them gave no quote and why."""

    quotes: tuple[RampQuote, ...]
    recommended: RampQuote | None
    queried: tuple[ProviderName, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class CurrencyOffer:
    """A currency that can be used, with the least and the largest order in minor units; the first
    of its countries is the default."""

    currency: Currency
    min_minor: int
    max_minor: int
    countries: tuple[str, ...]
    providers: tuple[ProviderName, ...]


@dataclass(frozen=True, slots=True)
class CountryOffer:
    """A country where ramps are offered, with the codes of its currencies."""

    country: Country
    currencies: tuple[str, ...]


def quotes(services: Services, caller: Caller | None, asked: RampQuestion) -> RampComparison:
    """What every provider of the corridor asks or pays (service.md §10)."""
    case = read(services, caller, asked)
    eligible = [one for one in services.ramps if case.channels(one.capabilities)]
    answered = ask_providers(services, caller, case, eligible)
    order = ranked(answered.quotes)
    passed = _passed(services, case, near_cheapest(order)) if case.email else frozenset()
    reasons = {**answered.refused, **answered.silent}
    left_out = [LeftOut(name, why) for name, why in reasons.items()]
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
    answered = ask_providers(services, caller, case, [named])
    if answered.quotes:
        return answered.quotes[0]
    if answered.silent:
        raise QuotesUnavailable(f"{named.name} {answered.silent[named.name]}")
    raise InvalidInput(f"provider: {named.name} {answered.refused[named.name]}")


def currencies(
    services: Services, caller: Caller | None, provider: object = None, direction: object = None
) -> list[CurrencyOffer]:
    """The currencies that can be used, with a provider or in a direction where one is named; for
    off-ramps those that are paid out server to server (service.md §11)."""
    complaints = Complaints()
    named = complaints.read(
        lambda: None if provider is None else provider_named(services, provider)
    )
    way = complaints.read(lambda: None if direction is None else direction_of(direction))
    complaints.refuse()
    providers = services.ramps if named is None else [named]
    found: dict[str, list[tuple[ProviderName, Channel]]] = {
        code: [] for code in services.fiat.corridors
    }
    for one in providers:
        for channel in one.capabilities.channels:
            if (way is None or channel.direction is way) and (
                channel.direct or channel.direction is Direction.ON
            ):
                found[channel.currency].append((one.name, channel))
    return [_offer(services, code, offered) for code, offered in found.items() if offered]


def countries(services: Services, caller: Caller | None) -> list[CountryOffer]:
    """The countries where some provider has a channel, by name."""
    found: dict[str, dict[str, None]] = {}
    for one in services.ramps:
        for channel in one.capabilities.channels:
            for country in channel.countries:
                found.setdefault(country, {})[channel.currency] = None
    offers = [CountryOffer(services.fiat.countries[c], tuple(found[c])) for c in found]
    return sorted(offers, key=lambda offer: offer.country.name)


def _offer(
    services: Services, code: str, offered: Sequence[tuple[ProviderName, Channel]]
) -> CurrencyOffer:
    corridor, rate = services.fiat.corridors[code], services.fiat.rates[code]
    digits = corridor.currency.digits
    served = {country for _, channel in offered for country in channel.countries}
    return CurrencyOffer(
        currency=corridor.currency,
        min_minor=min(
            max(fiat_of_usd(corridor.least_micro_usd[c.direction], rate, digits), c.min_minor)
            for _, c in offered
        ),
        max_minor=max(channel.max_minor for _, channel in offered),
        countries=tuple(country for country in corridor.countries if country in served),
        providers=tuple(dict.fromkeys(name for name, _ in offered)),
    )


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
