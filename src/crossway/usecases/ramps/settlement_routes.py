"""Choosing the chain and token a provider settles in: the user's chain, else the one with the
cheapest bridge that is fast enough."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, QuotesUnavailable
from crossway.domain.money import Token, rescale_up
from crossway.domain.quotes import (
    BridgeQuote,
    Quote,
    QuoteRejected,
    RouteRequest,
    bridge_title,
    usual_times,
)
from crossway.domain.ramps import Direction
from crossway.ports.ramps import RampProvider
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import (
    active_kill_switches,
    is_chain_disabled,
    is_source_disabled,
)
from crossway.usecases.pricing.bridge_quotes import (
    fetch_bridge_quotes,
    format_excluded,
    rejection_reasons,
)
from crossway.usecases.pricing.priced_request import (
    PricedRequest,
    RequestedRoute,
    amount_decimals,
    price_request,
)
from crossway.usecases.pricing.quotes import build_quote
from crossway.usecases.ramps.order_intents import MIN_PAY_SECONDS, intent_lifetime_seconds
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


@dataclass(frozen=True, slots=True)
class NoRoute:
    """Why a provider has no route; `is_unanswered` where a bridge that did not respond may have
    one."""

    reason: str
    is_unanswered: bool


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One of a provider's usable tokens, priced, and what the bridges say to it; or why it cannot
    be priced. `max_seconds` is how long the provider of an off-ramp waits for its crypto."""

    token: Token
    priced: PricedRequest | None
    max_seconds: int | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _BridgeAnswers:
    """The bridges' quotes and rejections by request; `failure` names those that did not respond."""

    quotes: Mapping[RouteRequest, Sequence[BridgeQuote]] = field(default_factory=dict)
    rejections: Mapping[RouteRequest, Sequence[QuoteRejected]] = field(default_factory=dict)
    failure: str = ""


def find_settlement_routes(
    services: Services,
    caller: Principal | None,
    params: RampQuoteParams,
    providers: Sequence[RampProvider],
) -> Mapping[str, SettlementRoute | NoRoute]:
    """The cheapest route of each provider, or the reason why there is none. Bridge quotes are
    fetched once for all providers."""
    kill_switches = active_kill_switches(services)
    candidates = {
        str(provider.name): _list_candidates(services, caller, params, provider, kill_switches)
        for provider in providers
    }
    priced = [c.priced for of_one in candidates.values() for c in of_one if c.priced is not None]
    answers = _fetch_bridge_quotes(services, priced, kill_switches)
    return {
        name: _choose_route(services, params, of_one, answers)
        for name, of_one in candidates.items()
    }


def _list_candidates(
    services: Services,
    caller: Principal | None,
    params: RampQuoteParams,
    provider: RampProvider,
    kill_switches: Collection[str],
) -> list[_Candidate]:
    """The provider's tokens (mainnet or test networks, as the user's chain), priced; only those on
    the user's own chain when there are any."""
    chains, is_on = services.catalogue.chains, params.direction is Direction.ON
    is_disabled = is_source_disabled if is_on else is_chain_disabled
    channels = params.matching_channels(provider.capabilities)
    life_seconds = max(map(intent_lifetime_seconds, channels))
    waits = None if is_on else max(c.pay_seconds for c in channels) - MIN_PAY_SECONDS
    tokens = [
        token
        for token in provider.capabilities.tokens
        if chains[token.chain].testnet == params.chain.testnet and token.chain in services.chains
    ]
    disabled = [token for token in tokens if is_disabled(kill_switches, token.chain)]
    usable = [token for token in tokens if token not in disabled]
    candidates = []
    for token in [t for t in usable if t.chain == params.chain.id] or usable:
        try:
            priced = _price_request(services, caller, params, token, life_seconds)
        except (InvalidInput, QuotesUnavailable) as error:
            candidates.append(_Candidate(token, None, waits, str(error)))
        else:
            candidates.append(_Candidate(token, priced, waits))
    return candidates + [
        _Candidate(token, None, waits, f"{token.chain} is disabled") for token in disabled
    ]


def _price_request(
    services: Services,
    caller: Principal | None,
    params: RampQuoteParams,
    token: Token,
    life_seconds: int,
) -> PricedRequest:
    """The priced request of the intent between the provider's token and the user's."""
    ramp_chain = services.catalogue.chains[token.chain]
    ends = (ramp_chain, params.chain, token, params.token)
    if params.direction is Direction.OFF:
        ends = (params.chain, ramp_chain, params.token, token)
    route = RequestedRoute(*ends, life_seconds=life_seconds)
    decimals = amount_decimals(services, route, params.token.symbol)
    amount = rescale_up(params.amount, params.decimals, decimals)
    return price_request(services, caller, route, amount, params.token.symbol)


def _fetch_bridge_quotes(
    services: Services, priced: Sequence[PricedRequest], kill_switches: Collection[str]
) -> _BridgeAnswers:
    bridged = [request for request in priced if not request.route.is_same_chain]
    route_requests = list(dict.fromkeys(request.route_request for request in bridged))
    if not route_requests:
        return _BridgeAnswers()
    try:
        fetched = fetch_bridge_quotes(services, services.bridges, route_requests, kill_switches)
    except QuotesUnavailable as error:
        return _BridgeAnswers(failure=str(error))
    return _BridgeAnswers(
        dict(zip(route_requests, fetched.quotes, strict=True)),
        dict(zip(route_requests, fetched.rejections, strict=True)),
        format_excluded(fetched.excluded),
    )


def _choose_route(
    services: Services,
    params: RampQuoteParams,
    candidates: Sequence[_Candidate],
    answers: _BridgeAnswers,
) -> SettlementRoute | NoRoute:
    """The cheapest of a provider's routes, the faster one at equal cost."""
    offers = [offer for candidate in candidates for offer in _list_offers(candidate, answers)]
    if not offers:
        reasons = dict.fromkeys(r for c in candidates for r in _list_reasons(c, answers) if r)
        reason = f"has no route between its chains and {params.chain.id} at the moment"
        if answers.failure:
            reasons = {**reasons, answers.failure: None}
        return NoRoute(": ".join(filter(None, (reason, "; ".join(reasons)))), bool(answers.failure))
    token, priced, bridge_quote = min(offers, key=lambda offer: _route_cost(offer[2]))
    return SettlementRoute(token, build_quote(services, priced, bridge_quote))


def _list_offers(
    candidate: _Candidate, answers: _BridgeAnswers
) -> Iterator[tuple[Token, PricedRequest, BridgeQuote | None]]:
    """The ways to settle in a token: on its own chain, or over the bridges that are fast enough."""
    priced = candidate.priced
    if priced is None:
        return
    if priced.route.is_same_chain:
        yield candidate.token, priced, None
    for quote in answers.quotes.get(priced.route_request, ()):
        if candidate.max_seconds is None or _seconds(priced, quote) <= candidate.max_seconds:
            yield candidate.token, priced, priced.with_network_fee(quote)


def _list_reasons(candidate: _Candidate, answers: _BridgeAnswers) -> Iterator[str]:
    """Why a token is not settled in."""
    priced = candidate.priced
    if priced is None:
        yield candidate.problem
        return
    request = priced.route_request
    for quote in answers.quotes.get(request, ()):
        minutes = -(-_seconds(priced, quote) // 60)
        title, to = bridge_title(quote.bridge), candidate.token.chain
        yield f"{title} takes {minutes} minutes to {to}, longer than it waits"
    yield rejection_reasons(answers.rejections.get(request, ()))


def _seconds(priced: PricedRequest, quote: BridgeQuote) -> int:
    """How long a payment over a bridge usually takes."""
    route = priced.route
    return usual_times(route.source, route.destination, priced.amount_micro_usd, quote)[0]


def _route_cost(bridge_quote: BridgeQuote | None) -> tuple[int, int]:
    return (bridge_quote.fee_micro_usd, bridge_quote.fill_seconds) if bridge_quote else (0, 0)
