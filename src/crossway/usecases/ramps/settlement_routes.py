"""Choosing the chain and token a provider settles in: the user's chain, else the one with the
cheapest bridge."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, QuotesUnavailable
from crossway.domain.money import Token, rescale_up
from crossway.domain.quotes import BridgeQuote, Quote, cheapest_quote
from crossway.domain.ramps import Direction
from crossway.ports.ramps import RampProvider
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import (
    active_kill_switches,
    is_chain_disabled,
    is_source_disabled,
)
from crossway.usecases.pricing.bridge_quotes import fetch_bridge_quotes
from crossway.usecases.pricing.priced_request import (
    PricedRequest,
    RequestedRoute,
    amount_decimals,
    price_request,
)
from crossway.usecases.pricing.quotes import build_quote
from crossway.usecases.ramps.quote_params import RampQuoteParams


@dataclass(frozen=True, slots=True)
class SettlementRoute:
    """A provider's token and the quote of the intent between it and the user's token."""

    token: Token
    quote: Quote

    def ramp_amount(self, direction: Direction) -> int:
        """What the provider pays into the intent (on-ramp) or receives from it (off-ramp)."""
        if direction is Direction.ON:
            return self.quote.deposit_amount
        return self.quote.payout_amount


def find_settlement_routes(
    services: Services,
    caller: Principal | None,
    params: RampQuoteParams,
    providers: Sequence[RampProvider],
) -> Mapping[str, SettlementRoute | str]:
    """The cheapest route of each provider, or the reason why there is none. Bridge quotes are
    fetched once for all providers."""
    kill_switches = active_kill_switches(services)
    tokens_by_provider = {
        str(provider.name): _reachable_tokens(services, params, provider, kill_switches)
        for provider in providers
    }
    requests: dict[Token, PricedRequest] = {}
    for token in {token for tokens in tokens_by_provider.values() for token in tokens}:
        # A missing or stale price excludes this token only.
        with suppress(InvalidInput, QuotesUnavailable):
            requests[token] = _price_request(services, caller, params, token)
    quotes = _fetch_bridge_quotes(services, requests, kill_switches)
    routes: dict[str, SettlementRoute | str] = {}
    for name, tokens in tokens_by_provider.items():
        usable = [
            token
            for token in tokens
            if token in requests and (token in quotes or token.chain == params.chain.id)
        ]
        if not usable:
            routes[name] = f"has no route between its chains and {params.chain.id} at the moment"
            continue
        token = min(usable, key=lambda token: _route_cost(quotes.get(token)))
        quote = build_quote(services, requests[token], quotes.get(token))
        routes[name] = SettlementRoute(token, quote)
    return routes


def _reachable_tokens(
    services: Services,
    params: RampQuoteParams,
    provider: RampProvider,
    kill_switches: Collection[str],
) -> list[Token]:
    """The provider's usable tokens (mainnet or test networks, as the user's chain); only those on
    the user's own chain when there are any."""
    chains = services.catalogue.chains
    is_on = params.direction is Direction.ON
    is_unusable = is_source_disabled if is_on else is_chain_disabled
    usable = [
        token
        for token in provider.capabilities.tokens
        if chains[token.chain].testnet == params.chain.testnet
        and token.chain in services.chains
        and not is_unusable(kill_switches, token.chain)
    ]
    return [token for token in usable if token.chain == params.chain.id] or usable


def _price_request(
    services: Services, caller: Principal | None, params: RampQuoteParams, token: Token
) -> PricedRequest:
    """The priced request of the intent between the provider's token and the user's."""
    ramp_chain = services.catalogue.chains[token.chain]
    if params.direction is Direction.ON:
        route = RequestedRoute(ramp_chain, params.chain, token, params.token)
    else:
        route = RequestedRoute(params.chain, ramp_chain, params.token, token)
    decimals = amount_decimals(services, route, params.token.symbol)
    amount = rescale_up(params.amount, params.decimals, decimals)
    return price_request(services, caller, route, amount, params.token.symbol)


def _fetch_bridge_quotes(
    services: Services, requests: Mapping[Token, PricedRequest], kill_switches: Collection[str]
) -> Mapping[Token, BridgeQuote]:
    """The cheapest bridge quote with the network costs, by the provider's token; tokens that no
    bridge carries are missing."""
    bridged = {t: request for t, request in requests.items() if not request.route.is_same_chain}
    route_requests = list(dict.fromkeys(request.route_request for request in bridged.values()))
    if not route_requests:
        return {}
    try:
        fetched = fetch_bridge_quotes(services, services.bridges, route_requests, kill_switches)
    except QuotesUnavailable:
        return {}
    by_request = dict(zip(route_requests, fetched.quotes, strict=True))
    quotes: dict[Token, BridgeQuote] = {}
    for token, request in bridged.items():
        offered = map(request.with_network_fee, by_request[request.route_request])
        if cheapest := cheapest_quote(offered):
            quotes[token] = cheapest
    return quotes


def _route_cost(bridge_quote: BridgeQuote | None) -> tuple[int, int]:
    return (bridge_quote.fee_micro_usd, bridge_quote.fill_seconds) if bridge_quote else (0, 0)
