"""Corridors: volume between chains, the current cost of an amount, and the health of bridges."""

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from crossway.domain.bridge_transfer import Custody
from crossway.domain.clients import Principal
from crossway.domain.corridor_stats import (
    CorridorVolume,
    Outcome,
    Period,
    quantile_seconds,
    sum_volumes,
)
from crossway.domain.errors import QuotesUnavailable
from crossway.domain.network_costs import network_fee
from crossway.domain.quotes import BridgeName, Route, RouteRequest
from crossway.domain.roles import Permission
from crossway.domain.success import success_rate
from crossway.ports.process import BridgeStats
from crossway.ports.records import KillSwitch
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import STOPPED, active_kill_switches
from crossway.usecases.pricing import router
from crossway.usecases.pricing.bridge_quotes import fetch_bridge_quotes
from crossway.usecases.pricing.estimates import fetch_shown_quotes
from crossway.usecases.pricing.network_fees import read_network_costs

PROBE_MICRO_USD = 100_000_000


class Window(StrEnum):
    """The period over which volume is summed."""

    DAY = "24 hours"
    WEEK = "7 days"
    MONTH = "30 days"


LOOKBACK: Final = {
    Window.DAY: (Period.HOUR, timedelta(hours=23)),
    Window.WEEK: (Period.DAY, timedelta(days=6)),
    Window.MONTH: (Period.DAY, timedelta(days=29)),
}


@dataclass(frozen=True, slots=True)
class CorridorSummary:
    """One bridge in one direction: payments, volume, charged fees and times in the window.

    Values are in micro-USD and seconds, None where unknown. `fee_micro_usd` and `seconds` are the
    current quote for the requested amount, or an estimate where `estimate_reason` says why there is
    no quote.
    """

    route: Route
    paid: int = 0
    failed: int = 0
    micro_usd: int = 0
    charged_micro_usd: int = 0
    median_seconds: float | None = None
    p95_seconds: float | None = None
    fee_micro_usd: int | None = None
    seconds: int | None = None
    estimate_reason: str = ""

    @property
    def success(self) -> float | None:
        """The share of the funded payments that have ended that were paid out; None without."""
        return success_rate(self.paid, self.failed)


@dataclass(frozen=True, slots=True)
class BridgeStatus:
    """The health of a bridge as measured by this process, and whom payers over it trust; `off` is
    its kill switch, if active. Where the bridge answers `in_process`, no service is asked, so that
    `health` measures none. `paid` payments over it took `paid_p50_seconds` and `paid_p95_seconds`
    from the complete deposit to the payout; None without any."""

    name: BridgeName
    health: BridgeStats
    last_error_seconds_ago: float | None
    routes: int
    off: KillSwitch | None
    custody: Custody
    in_process: bool
    paid: int
    paid_p50_seconds: float | None
    paid_p95_seconds: float | None


def list_corridors(
    services: Services,
    caller: Principal,
    window: Window,
    amount_micro_usd: int,
    testnets: bool = False,
    symbol: str | None = None,
) -> list[CorridorSummary]:
    """Every route between configured chains, with its volume in the window and the current cost of
    an amount. `symbol` limits the volume to one token and the routes to those that carry it."""
    caller.require_permission(Permission.VIEW)
    routes = [
        route
        for bridge_routes in router.list_routes(services).bridges.values()
        for route in bridge_routes
        if services.catalogue.chains[route.source].testnet == testnets
        and (not symbol or route.carries(symbol, symbol))
        and all(
            not symbol or _has_token(services, chain, symbol)
            for chain in (route.source, route.destination)
        )
    ]
    period, lookback = LOOKBACK[window]
    with services.store.read() as unit:
        volumes = unit.corridor_stats.sum_since(
            caller.mode, period, services.clock.now() - lookback
        )
    by_corridor: dict[tuple[str, str, str], list[CorridorVolume]] = defaultdict(list)
    for volume in volumes:
        if not symbol or volume.symbol == symbol:
            by_corridor[volume.bridge, volume.source, volume.destination].append(volume)
    prices = _fetch_prices(services, routes, amount_micro_usd, symbol)
    return [
        _summarise(route, by_corridor[route.bridge, route.source, route.destination], prices)
        for route in routes
    ]


def list_bridge_statuses(
    services: Services, caller: Principal, window: Window = Window.DAY
) -> list[BridgeStatus]:
    """The health of each bridge over the last hour, from this process's own quote calls, and how
    long payments over it took in the window."""
    caller.require_permission(Permission.VIEW)
    period, lookback = LOOKBACK[window]
    durations: dict[str, list[tuple[int, int]]] = defaultdict(list)
    with services.store.read() as unit:
        since = services.clock.now() - lookback
        for volume in unit.corridor_stats.sum_since(caller.mode, period, since):
            if volume.outcome is Outcome.PAID:
                durations[volume.bridge].append((volume.bucket, volume.count))
        disabled = {
            kill_switch.subject: kill_switch for kill_switch in unit.kill_switches.list_all()
        }
    now = time.monotonic()
    statuses = []
    for bridge in services.bridges:
        health = services.process.bridge_health.get_stats(bridge.name)
        last_error_at, took = health.last_error_at, durations[bridge.name]
        statuses.append(
            BridgeStatus(
                bridge.name,
                health,
                None if last_error_at is None else now - last_error_at,
                len(routes := bridge.routes()),
                disabled.get(f"bridge:{bridge.name}"),
                routes[0].custody if routes else Custody.OPERATOR,
                bridge.runs_in_process,
                sum(count for _, count in took),
                quantile_seconds(took, 0.5),
                quantile_seconds(took, 0.95),
            )
        )
    return statuses


def list_kill_switches(services: Services, caller: Principal) -> list[KillSwitch]:
    """All active kill switches with reason, actor and time, without the emergency stop."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        return [one for one in unit.kill_switches.list_all() if one.subject != STOPPED]


def probe_bridges(services: Services, caller: Principal) -> int:
    """Request one quote from every bridge, so that its health is measured; returns how many."""
    caller.require_permission(Permission.VIEW)
    probed = 0
    for bridge in services.bridges:
        configured = (
            r for r in bridge.routes() if {r.source, r.destination} <= set(services.chains)
        )
        route = next(configured, None)
        if route is None:
            continue
        probed += 1
        request = _request(route, PROBE_MICRO_USD)
        try:
            fetch_bridge_quotes(services, [bridge], [request], active_kill_switches(services))
        except QuotesUnavailable:
            continue  # The failure is recorded in the bridge's health.
    return probed


def _has_token(services: Services, chain: str, symbol: str) -> bool:
    token = services.catalogue.tokens.get((chain, symbol))
    return token is not None and token.enabled


# Fee, fill time, and why it is an estimate; by bridge, source and destination.
Prices = dict[tuple[str, str, str], tuple[int, int, str]]


def _request(route: Route, micro_usd: int, symbol: str | None = None) -> RouteRequest:
    """A request to carry one token over a route: without `symbol` USDC, or what it carries."""
    pair = (symbol, symbol) if symbol is not None else _usual_pair(route)
    return RouteRequest(route.source, route.destination, micro_usd, *pair)


def _usual_pair(route: Route) -> tuple[str, str]:
    """USDC as itself, or another token as itself, or whatever is exchanged for another."""
    if route.symbols is None or "USDC" in route.symbols:
        return "USDC", "USDC"
    symbol = min(route.symbols, default="")
    return (symbol, symbol) if symbol else min(route.exchanged)


def _fetch_prices(
    services: Services, routes: Sequence[Route], amount: int, symbol: str | None
) -> Prices:
    """The quotes of these routes, and the estimates for bridges that do not respond; empty when
    there is neither."""
    request_of = {
        (route.bridge, route.source, route.destination): _request(route, amount, symbol)
        for route in routes
    }
    requests = sorted(set(request_of.values()), key=lambda r: (r.source, r.destination))
    try:
        shown = fetch_shown_quotes(
            services, services.bridges, requests, active_kill_switches(services)
        )
    except QuotesUnavailable:
        return {}
    report = read_network_costs(services, {chain for r in requests for chain in _ends(r)})
    service = services.policy.service_fee.calculate(amount)
    prices: Prices = {}
    for index, request in enumerate(requests):
        source, destination = (report.costs.get(chain) for chain in _ends(request))
        if source is None or destination is None:
            continue
        quotes = [(quote, "") for quote in shown.fetched.quotes[index]]
        estimates = [(e.figures, e.reason) for e in shown.estimates[index]]
        for quote, reason in quotes + estimates:
            corridor = quote.bridge, *_ends(request)
            if request_of.get(corridor) == request:
                fee = network_fee(source, destination, service, quote.path)
                prices[corridor] = quote.fee_with_network(fee), quote.fill_seconds, reason
    return prices


def _ends(request: RouteRequest) -> tuple[str, str]:
    return request.source, request.destination


def _summarise(route: Route, volumes: Iterable[CorridorVolume], prices: Prices) -> CorridorSummary:
    totals = sum_volumes(volumes)
    fee_micro_usd, seconds, estimate_reason = prices.get(
        (route.bridge, route.source, route.destination), (None, None, "")
    )
    return CorridorSummary(
        route=route,
        paid=totals.paid,
        failed=totals.failed,
        micro_usd=totals.micro_usd,
        charged_micro_usd=totals.charged_micro_usd,
        median_seconds=totals.median_seconds,
        p95_seconds=totals.p95_seconds,
        fee_micro_usd=fee_micro_usd,
        seconds=seconds,
        estimate_reason=estimate_reason,
    )
