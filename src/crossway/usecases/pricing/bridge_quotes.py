"""The quotes that bridges give in parallel, and the reasons of those that give none."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput, QuotesUnavailable, Unreachable
from crossway.domain.quotes import BridgeQuote, ExcludedSource, QuoteRejected, RouteRequest
from crossway.ports.bridge import Bridge
from crossway.ports.process import BridgeHealth
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import is_route_disabled
from crossway.usecases.parallel_calls import call_all
from crossway.usecases.pricing.priced_request import RequestedRoute

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
    fetched = ask_bridges(services, bridges, requests, disabled)
    if bridges and len(fetched.excluded) == len(bridges):
        raise no_bridge_responded(fetched)
    return fetched


def ask_bridges(
    services: Services,
    bridges: Sequence[Bridge],
    requests: Sequence[RouteRequest],
    disabled: Collection[str],
) -> BridgeQuotes:
    """`fetch_bridge_quotes` for callers that have something to show when no bridge responded."""
    now, health = services.clock.now(), services.process.bridge_health
    calls: dict[str, Callable[[], Outcomes]] = {}
    in_process: list[str] = []
    for bridge in bridges:
        calls[bridge.name.value] = partial(_get_quotes, bridge, requests, now, health)
        if bridge.runs_in_process:
            in_process.append(bridge.name.value)
    answers = call_all(services.executor, calls, services.policy.quote_timeouts, in_process)
    quotes: list[list[BridgeQuote]] = [[] for _ in requests]
    rejections: list[list[QuoteRejected]] = [[] for _ in requests]
    for name in calls:
        for index, outcome in enumerate(answers.results.get(name, ())):
            source, destination = requests[index].source, requests[index].destination
            if disabled and is_route_disabled(disabled, outcome.bridge, source, destination):
                reason = f"{outcome.bridge} is disabled for {source} -> {destination}"
                rejected = QuoteRejected(outcome.bridge, requests[index], reason, param="")
                rejections[index].append(rejected)
            elif isinstance(outcome, BridgeQuote):
                quotes[index].append(outcome)
            else:
                rejections[index].append(outcome)
    return BridgeQuotes(quotes, rejections, answers.excluded)


def no_bridge_responded(fetched: BridgeQuotes) -> QuotesUnavailable:
    """The error to raise when no bridge responded, with their reasons."""
    return QuotesUnavailable(f"No bridge responded: {format_excluded(fetched.excluded)}")


def rejection_reasons(rejections: Sequence[QuoteRejected]) -> str:
    """Why no bridge quotes a route, as text; empty where no bridge serves its chains."""
    return ", ".join(dict.fromkeys(r.reason for r in rejections if r.supported))


def explain_rejections(route: RequestedRoute, rejections: Sequence[QuoteRejected]) -> InvalidInput:
    """Why an intent gets no quote, after the name of the field that another value would help."""
    pair = f"{route.source.id} -> {route.destination.id}"
    if too_much_or_little := [r for r in rejections if r.supported and r.param == "amount"]:
        reasons = rejection_reasons(too_much_or_little)
        return InvalidInput(f"amount: {reasons}", ErrorCode.AMOUNT_OUT_OF_RANGE)
    reasons = rejection_reasons(rejections)
    if any(r.supported and r.param for r in rejections):
        tokens = f"{route.token_in.symbol} to {route.token_out.symbol}"
        text = f"tokenIn: no bridge carries {tokens}, {pair}: {reasons}"
    else:
        text = f"destination_chain: {reasons or f'no bridge serves {pair}'}"
    return InvalidInput(text, ErrorCode.ROUTE_NOT_SUPPORTED)


def format_excluded(excluded: Sequence[ExcludedSource]) -> str:
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
