"""Fetch quotes from all bridges in parallel, for one or many route requests."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.errors import QuotesUnavailable, Unreachable
from crossway.domain.quotes import BridgeQuote, ExcludedSource, QuoteRejected, RouteRequest
from crossway.ports.bridges import Bridge
from crossway.ports.process import BridgeHealth
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import is_route_disabled
from crossway.usecases.parallel_calls import call_all

Answer = Sequence[BridgeQuote | QuoteRejected]


@dataclass(frozen=True, slots=True)
class BridgeQuotes:
    """Quotes and rejections per route request, in the order of the requests. `excluded` names the
    bridges that failed."""

    quotes: tuple[tuple[BridgeQuote, ...], ...]
    rejections: tuple[tuple[QuoteRejected, ...], ...]
    excluded: tuple[ExcludedSource, ...]


def fetch_bridge_quotes(
    services: Services,
    bridges: Sequence[Bridge],
    requests: Sequence[RouteRequest],
    disabled: Collection[str],
) -> BridgeQuotes:
    """Fetch quotes from the bridges; disabled routes are rejected. Raises `QuotesUnavailable` when
    no bridge responded."""
    now = services.clock.now()
    health = services.process.bridge_health
    calls = {str(bridge.name): _timed_call(bridge, requests, now, health) for bridge in bridges}
    in_process = [str(bridge.name) for bridge in bridges if bridge.runs_in_process]
    results = call_all(services.executor, calls, services.policy.quote_timeouts, in_process)
    if calls and not results.results:
        reasons = ", ".join(
            f"{excluded.subject} {excluded.reason}" for excluded in results.excluded
        )
        raise QuotesUnavailable(f"No bridge responded: {reasons}")
    quotes: list[tuple[BridgeQuote, ...]] = []
    rejections: list[tuple[QuoteRejected, ...]] = []
    by_bridge = [results.results[name] for name in calls if name in results.results]
    for index in range(len(requests)):
        outcomes = [_reject_if_disabled(outcome[index], disabled) for outcome in by_bridge]
        quotes.append(tuple(outcome for outcome in outcomes if isinstance(outcome, BridgeQuote)))
        rejections.append(
            tuple(outcome for outcome in outcomes if isinstance(outcome, QuoteRejected))
        )
    return BridgeQuotes(tuple(quotes), tuple(rejections), results.excluded)


def _timed_call(
    bridge: Bridge, requests: Sequence[RouteRequest], now: datetime, health: BridgeHealth
) -> Callable[[], Answer]:
    def get_quotes() -> Answer:
        outcomes = bridge.get_quotes(requests, now)
        if len(outcomes) != len(requests):
            raise Unreachable(f"returned {len(outcomes)} quotes for {len(requests)} requests")
        return outcomes

    def timed_call() -> Answer:
        started_at = time.perf_counter()
        try:
            outcomes = get_quotes()
        except Exception as error:
            reason = str(error) if isinstance(error, Unreachable) else type(error).__name__
            health.record(
                bridge.name, time.perf_counter() - started_at, reason or "could not be reached"
            )
            raise
        health.record(bridge.name, time.perf_counter() - started_at)
        return outcomes

    return timed_call


def _reject_if_disabled(
    outcome: BridgeQuote | QuoteRejected, disabled: Collection[str]
) -> BridgeQuote | QuoteRejected:
    request = outcome.request
    if disabled and is_route_disabled(
        disabled, outcome.bridge, request.source, request.destination
    ):
        reason = f"{outcome.bridge} is switched off for {request.source} -> {request.destination}"
        return QuoteRejected(outcome.bridge, request, reason)
    return outcome
