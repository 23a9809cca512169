"""Quotes for a payment from one chain to another, from the quotes that bridges give in parallel."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, NotFound, QuotesUnavailable, Unreachable
from crossway.domain.pricing import (
    amount_for_usd,
    calculate_costs,
    convert,
    slippage_percent,
)
from crossway.domain.quotes import (
    BridgeName,
    BridgeQuote,
    ExcludedSource,
    Quote,
    QuoteRejected,
    RouteRequest,
)
from crossway.ports.bridges import Bridge
from crossway.ports.process import BridgeHealth
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import (
    active_kill_switches,
    is_chain_disabled,
    is_route_disabled,
)
from crossway.usecases.chains.request_fields import require_open_source, split_list
from crossway.usecases.parallel_calls import call_all
from crossway.usecases.pricing.priced_request import (
    PricedRequest,
    QuoteRequest,
    RequestedRoute,
    parse,
    price_request,
)
from crossway.usecases.validation_errors import ValidationErrors

NO_QUOTES = "No quotes available for this route. Please check if the route is supported."


def quote_with_bridge(
    services: Services, caller: Principal | None, request: QuoteRequest, bridge: str | None
) -> Quote:
    """The quote of one bridge. Raises `InvalidInput` when it rejects the route."""
    disabled, errors = active_kill_switches(services), ValidationErrors()
    selected_bridge = errors.collect(_parse_bridge, services, bridge)
    priced = parse(services, caller, request, disabled, errors)
    assert selected_bridge is not None
    bridge_quotes = fetch_bridge_quotes(
        services, [selected_bridge], [priced.route_request], disabled
    )
    if not bridge_quotes.quotes[0]:
        rejection = bridge_quotes.rejections[0][0]
        raise InvalidInput(
            f"amount: {rejection.reason}" if rejection.supported else rejection.reason
        )
    quote = bridge_quotes.quotes[0][0].with_network_fee(priced.network_fee.charged)
    return build_quote(services, priced, quote)


def list_quotes(
    services: Services,
    caller: Principal | None,
    request: QuoteRequest,
    exclude_bridges: str | None = None,
) -> list[Quote]:
    """The quotes of all bridges of the route, cheapest first; within one chain, a single quote."""
    disabled, errors = active_kill_switches(services), ValidationErrors()
    excluded = errors.collect(_parse_excluded_bridges, exclude_bridges)
    priced = parse(services, caller, request, disabled, errors)
    bridges = [bridge for bridge in services.bridges if bridge.name not in (excluded or ())]
    bridge_quotes, _ = _list_bridge_quotes(services, priced, bridges, disabled)
    return [build_quote(services, priced, bridge_quote) for bridge_quote in bridge_quotes]


def best_quote(
    services: Services,
    caller: Principal | None,
    request: QuoteRequest,
    exclude_bridges: str | None = None,
) -> Quote:
    """The cheapest of `list_quotes`. Raises `NotFound` when no bridge serves the route."""
    quotes = list_quotes(services, caller, request, exclude_bridges)
    if not quotes:
        raise NotFound(NO_QUOTES)
    return quotes[0]


def quote_intent(
    services: Services,
    caller: Principal | None,
    route: RequestedRoute,
    amount: int,
    amount_symbol: str,
) -> Quote:
    """The cheapest quote for an intent; all arguments are parsed already. Raises `InvalidInput`."""
    source, destination = route.source.id, route.destination.id
    disabled = active_kill_switches(services)
    require_open_source(disabled, source, "source_chain")
    if is_chain_disabled(disabled, destination):
        raise InvalidInput(f"destination_chain: {destination} is disabled")
    priced = price_request(services, caller, route, amount, amount_symbol)
    bridge_quotes, rejections = _list_bridge_quotes(services, priced, services.bridges, disabled)
    if bridge_quotes:
        return build_quote(services, priced, bridge_quotes[0])
    reasons = [rejection.reason for rejection in rejections if rejection.supported]
    if reasons:
        raise InvalidInput(f"amount: {', '.join(reasons)}")
    raise InvalidInput(f"destination_chain: no bridge serves {source} -> {destination}")


def _list_bridge_quotes(
    services: Services, priced: PricedRequest, bridges: Sequence[Bridge], disabled: Collection[str]
) -> tuple[Sequence[BridgeQuote | None], Sequence[QuoteRejected]]:
    """The bridge quotes of a route, cheapest first, and the rejections. Within one chain the only
    quote is None.

    Raises `QuotesUnavailable` when there is no quote and some bridge did not respond.
    """
    if priced.route.is_same_chain:
        return [None], ()
    fetched = fetch_bridge_quotes(services, bridges, [priced.route_request], disabled)
    fee = priced.network_fee.charged
    quotes = sorted((q.with_network_fee(fee) for q in fetched.quotes[0]), key=BridgeQuote.rank)
    if not quotes and fetched.excluded:
        reasons = _format_excluded(fetched.excluded)
        raise QuotesUnavailable(f"No quote, and some bridges did not respond: {reasons}")
    return quotes, fetched.rejections[0]


def build_quote(
    services: Services, priced: PricedRequest, bridge_quote: BridgeQuote | None
) -> Quote:
    """Build the full quote of a priced request with a bridge quote; None within one chain."""
    route, amount_token = priced.route, priced.amount_token
    costs, deposit_amount = calculate_costs(
        priced.amount,
        amount_token,
        priced.priced_in,
        priced.service_fee_micro_usd,
        bridge_quote.fee_micro_usd if bridge_quote else priced.network_fee.charged,
        priced.app_fee_micro_usd,
        priced.network_fee.total,
    )
    fill_seconds = bridge_quote.fill_seconds if bridge_quote else 0
    return Quote(
        bridge=bridge_quote.bridge if bridge_quote else None,
        source=route.source.id,
        destination=route.destination.id,
        token_in=route.token_in.address,
        token_out=route.token_out.address,
        recipient=route.recipient,
        amount_symbol=amount_token.symbol,
        amount_decimals=amount_token.decimals,
        amount=priced.amount,
        payout_amount=convert(priced.amount, amount_token, priced.priced_out),
        costs=costs,
        fee_units=amount_for_usd(costs.fee_micro_usd, amount_token),
        app_fee_units=amount_for_usd(costs.app_micro_usd, amount_token),
        asset_symbol=route.token_in.symbol,
        asset_decimals=route.token_in.decimals,
        deposit_amount=deposit_amount,
        slippage=slippage_percent(route.token_in.symbol, amount_token.symbol),
        fill_seconds=route.source.confirmation_seconds(priced.amount_micro_usd) + fill_seconds,
        settle_seconds=bridge_quote.settle_seconds if bridge_quote else 0,
        expires_at=services.clock.now() + timedelta(seconds=services.policy.quote_life_seconds),
        details=bridge_quote.details if bridge_quote else {},
        extra_data=bridge_quote.extra_data if bridge_quote else "0x",
    )


def _parse_bridge(services: Services, name: str | None) -> Bridge:
    if name not in tuple(BridgeName):
        raise InvalidInput(f"bridge must be one of {', '.join(BridgeName)}")
    for bridge in services.bridges:
        if bridge.name == name:
            return bridge
    raise InvalidInput(f"bridge: {name} is not configured here")


def _parse_excluded_bridges(text: str | None) -> Collection[str]:
    names = split_list(text)
    if any(name not in tuple(BridgeName) for name in names):
        raise InvalidInput(f"excludeBridges must name some of {', '.join(BridgeName)}")
    return names


Outcomes = Sequence[BridgeQuote | QuoteRejected]


@dataclass(frozen=True, slots=True)
class BridgeQuotes:
    """Quotes and rejections per route request, in the order of the requests. `excluded` names the
    bridges that failed."""

    quotes: Sequence[Sequence[BridgeQuote]]
    rejections: Sequence[Sequence[QuoteRejected]]
    excluded: tuple[ExcludedSource, ...]


def fetch_bridge_quotes(
    services: Services,
    bridges: Sequence[Bridge],
    requests: Sequence[RouteRequest],
    disabled: Collection[str],
) -> BridgeQuotes:
    """Fetch quotes from the bridges; disabled routes are rejected. Raises `QuotesUnavailable` when
    no bridge responded."""
    now, health = services.clock.now(), services.process.bridge_health
    calls: dict[str, Callable[[], Outcomes]] = {}
    in_process: list[str] = []
    for bridge in bridges:
        calls[bridge.name.value] = partial(_get_quotes, bridge, requests, now, health)
        if bridge.runs_in_process:
            in_process.append(bridge.name.value)
    answers = call_all(services.executor, calls, services.policy.quote_timeouts, in_process)
    if calls and not answers.results:
        raise QuotesUnavailable(f"No bridge responded: {_format_excluded(answers.excluded)}")
    quotes: list[list[BridgeQuote]] = [[] for _ in requests]
    rejections: list[list[QuoteRejected]] = [[] for _ in requests]
    for name in calls:
        for index, outcome in enumerate(answers.results.get(name, ())):
            source, destination = requests[index].source, requests[index].destination
            if disabled and is_route_disabled(disabled, outcome.bridge, source, destination):
                reason = f"{outcome.bridge} is disabled for {source} -> {destination}"
                rejections[index].append(QuoteRejected(outcome.bridge, requests[index], reason))
            elif isinstance(outcome, BridgeQuote):
                quotes[index].append(outcome)
            else:
                rejections[index].append(outcome)
    return BridgeQuotes(quotes, rejections, answers.excluded)


def _format_excluded(excluded: Sequence[ExcludedSource]) -> str:
    """The sources that failed, with the reasons, as text."""
    return ", ".join(f"{source.subject} {source.reason}" for source in excluded)


def _get_quotes(
    bridge: Bridge, requests: Sequence[RouteRequest], now: datetime, health: BridgeHealth
) -> Outcomes:
    """Call a bridge and record the call's duration, and its error if it fails."""
    started_at = time.perf_counter()
    try:
        outcomes = bridge.get_quotes(requests, now)
        if len(outcomes) != len(requests):
            raise Unreachable(f"returned {len(outcomes)} quotes for {len(requests)} requests")
    except Exception as error:
        reason = str(error) if isinstance(error, Unreachable) else type(error).__name__
        seconds = time.perf_counter() - started_at
        health.record(bridge.name, seconds, reason or "could not be reached")
        raise
    health.record(bridge.name, time.perf_counter() - started_at)
    return outcomes
