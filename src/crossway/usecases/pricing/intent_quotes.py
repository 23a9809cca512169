"""Quotes for intents: the cheapest that a bridge gives, for many intents at once."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from crossway.domain.clients import Principal
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput, NoTerms, QuotesUnavailable
from crossway.domain.quotes import BridgeQuote, Quote
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import active_kill_switches, is_chain_disabled
from crossway.usecases.chains.request_fields import require_open_source
from crossway.usecases.pricing.bridge_quotes import (
    BridgeQuotes,
    explain_rejections,
    fetch_bridge_quotes,
)
from crossway.usecases.pricing.priced_request import PricedRequest, RequestedRoute, price_request
from crossway.usecases.pricing.quotes import build_listed, rank_quotes, require_within_limits


@dataclass(frozen=True, slots=True)
class AskedQuote:
    """What an intent is quoted for; all of it is parsed already. `amount` is in the smallest units
    of `amount_symbol`."""

    caller: Principal | None
    route: RequestedRoute
    amount: int
    amount_symbol: str


def quote_intents(services: Services, asked: Sequence[AskedQuote]) -> list[Quote | Exception]:
    """For each the cheapest quote, or `InvalidInput`, or `NoTerms` where bridges do not say what
    they charge. Each bridge is asked once for all."""
    disabled = active_kill_switches(services)
    priced = [_price(services, disabled, one) for one in asked]
    carried = [
        one for one in priced if isinstance(one, PricedRequest) and not one.route.is_same_chain
    ]
    try:
        requests = [one.route_request for one in carried]
        fetched: BridgeQuotes | QuotesUnavailable = fetch_bridge_quotes(
            services, services.bridges if requests else (), requests, disabled
        )
    except QuotesUnavailable as error:
        fetched = error
    places = iter(range(len(carried)))
    return [
        one
        if isinstance(one, Exception)
        else _quote(services, one, fetched, 0 if one.route.is_same_chain else next(places))
        for one in priced
    ]


def quote_intent(
    services: Services,
    caller: Principal | None,
    route: RequestedRoute,
    amount: int,
    amount_symbol: str,
) -> Quote:
    """As `quote_intents` for one, and raises its error."""
    [quote] = quote_intents(services, [AskedQuote(caller, route, amount, amount_symbol)])
    if isinstance(quote, Exception):
        raise quote
    return quote


def _price(
    services: Services, disabled: Collection[str], asked: AskedQuote
) -> PricedRequest | Exception:
    source, destination = asked.route.source.id, asked.route.destination.id
    try:
        require_open_source(disabled, source, "source_chain")
        if is_chain_disabled(disabled, destination):
            raise InvalidInput(
                f"destination_chain: {destination} is disabled", ErrorCode.CHAIN_UNAVAILABLE
            )
        return price_request(services, asked.caller, asked.route, asked.amount, asked.amount_symbol)
    except Exception as error:
        return error


def _quote(
    services: Services,
    priced: PricedRequest,
    fetched: BridgeQuotes | QuotesUnavailable,
    place: int,
) -> Quote | Exception:
    try:
        if priced.route.is_same_chain:
            require_within_limits(priced)
            return build_listed(services, priced, None)
        quotes = _rank(priced, fetched, place)
        if quotes:
            return build_listed(services, priced, quotes[0])
        assert isinstance(fetched, BridgeQuotes)
        return explain_rejections(priced.route, fetched.rejections[place])
    except Exception as error:
        return error


def _rank(
    priced: PricedRequest, fetched: BridgeQuotes | QuotesUnavailable, place: int
) -> list[BridgeQuote]:
    try:
        if isinstance(fetched, QuotesUnavailable):
            raise fetched
        return rank_quotes(priced, fetched, place)
    except QuotesUnavailable as error:
        raise NoTerms(f"A payment needs a quote, not an estimate. {error}") from error
