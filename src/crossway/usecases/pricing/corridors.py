"""Corridors: what flowed between chains, what moving an amount costs, how each bridge answers."""

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from crossway.domain.clients import Caller
from crossway.domain.errors import QuotesUnavailable
from crossway.domain.flows import Ended, Flow, Span, share_of_time
from crossway.domain.quotes import BridgeName, Leg, Route
from crossway.domain.roles import Right
from crossway.ports.process import Health
from crossway.ports.records import SwitchedOff
from crossway.ports.services import Services
from crossway.usecases.network.switches import switched_off
from crossway.usecases.pricing import router
from crossway.usecases.pricing.offers import offers_for

PROBE_MICRO_USD = 100_000_000


class Window(StrEnum):
    """Over how long flows are added up."""

    DAY = "24 hours"
    WEEK = "7 days"
    MONTH = "30 days"


_REACH = {
    Window.DAY: (Span.HOUR, timedelta(hours=23)),
    Window.WEEK: (Span.DAY, timedelta(days=6)),
    Window.MONTH: (Span.DAY, timedelta(days=29)),
}


@dataclass(frozen=True, slots=True)
class Corridor:
    """One bridge in one direction: what it carried, how well, and its bounds; micro-USD and
    seconds, None where nothing is known. `fee_micro_usd` and `seconds` are for the amount asked."""

    route: Route
    paid: int = 0
    failed: int = 0
    micro_usd: int = 0
    charged_micro_usd: int = 0
    median_seconds: float | None = None
    p95_seconds: float | None = None
    fee_micro_usd: int | None = None
    seconds: int | None = None

    @property
    def success(self) -> float | None:
        """Of the payments that were carried, the share that arrived."""
        ended = self.paid + self.failed
        return self.paid / ended if ended else None


@dataclass(frozen=True, slots=True)
class BridgeState:
    """How a bridge answers; `off` says who switched it off as a whole, and why."""

    name: BridgeName
    health: Health
    last_error_seconds_ago: float | None
    routes: int
    off: SwitchedOff | None


def corridors(
    services: Services,
    caller: Caller,
    window: Window,
    amount_micro_usd: int,
    testnets: bool = False,
    symbol: str | None = None,
) -> list[Corridor]:
    """Every route between configured chains with what flowed through it, and what the amount costs
    there now. With a symbol: its flows, between chains that have it."""
    caller.must(Right.SEE)
    listed = [
        route
        for of in router.routes(services).bridges.values()
        for route in of
        if services.catalogue.chains[route.source].testnet == testnets
        and all(
            not symbol or _has(services, end, symbol) for end in (route.source, route.destination)
        )
    ]
    span, reach = _REACH[window]
    with services.store.read() as unit:
        counted = unit.flows.since(span, services.clock.now() - reach)
    flows: dict[tuple[str, str, str], list[Flow]] = defaultdict(list)
    for flow in counted:
        if not symbol or flow.symbol == symbol:
            flows[flow.bridge, flow.source, flow.destination].append(flow)
    prices = _prices(services, listed, amount_micro_usd)
    return [
        _corridor(route, flows[route.bridge, route.source, route.destination], prices)
        for route in listed
    ]


def bridges(services: Services, caller: Caller) -> list[BridgeState]:
    """How each bridge answered the real questions of this process in the last hour."""
    caller.must(Right.SEE)
    with services.store.read() as unit:
        off = {one.subject: one for one in unit.network.switched_off()}
    now = time.monotonic()
    states = []
    for bridge in services.bridges:
        health = services.bridge_health.of(bridge.name)
        failed = health.last_error_at
        states.append(
            BridgeState(
                bridge.name,
                health,
                None if failed is None else now - failed,
                len(bridge.routes()),
                off.get(f"bridge:{bridge.name}"),
            )
        )
    return states


def closed(services: Services, caller: Caller) -> list[SwitchedOff]:
    """What is switched off: why, by whom, since when."""
    caller.must(Right.SEE)
    with services.store.read() as unit:
        return unit.network.switched_off()


def probe(services: Services, caller: Caller) -> int:
    """Ask every bridge for one real price, so that something is measured; answers how many."""
    caller.must(Right.SEE)
    asked = 0
    for bridge in services.bridges:
        configured = (
            r for r in bridge.routes() if {r.source, r.destination} <= set(services.chains)
        )
        route = next(configured, None)
        if route is None:
            continue
        asked += 1
        leg = Leg(route.source, route.destination, PROBE_MICRO_USD)
        try:
            offers_for(services, [bridge], [leg], switched_off(services))
        except QuotesUnavailable:
            continue  # What it failed with was measured.
    return asked


def _has(services: Services, chain: str, symbol: str) -> bool:
    token = services.catalogue.tokens.get((chain, symbol))
    return token is not None and token.enabled


Prices = dict[tuple[str, str, str], tuple[int, int]]


def _prices(services: Services, routes: Sequence[Route], amount: int) -> Prices:
    """Fee and usual time by bridge and pair; empty where no bridge answers."""
    pairs = sorted({(route.source, route.destination) for route in routes})
    legs = [Leg(source, destination, amount) for source, destination in pairs]
    try:
        offered = offers_for(services, services.bridges, legs, switched_off(services))
    except QuotesUnavailable:
        return {}
    return {
        (offer.bridge, *pair): (offer.fee_micro_usd, offer.fill_seconds)
        for pair, offers in zip(pairs, offered.offers, strict=True)
        for offer in offers
    }


def _corridor(route: Route, flows: Iterable[Flow], prices: Prices) -> Corridor:
    flows = list(flows)
    paid = [flow for flow in flows if flow.ended is Ended.PAID]
    times = [(flow.bucket, flow.n) for flow in paid]
    price = prices.get((route.bridge, route.source, route.destination))
    return Corridor(
        route=route,
        paid=sum(flow.n for flow in paid),
        failed=sum(flow.n for flow in flows if flow.ended is Ended.FAILED),
        micro_usd=sum(flow.micro_usd for flow in paid),
        charged_micro_usd=sum(flow.fee_micro_usd for flow in paid),
        median_seconds=share_of_time(times, 0.5),
        p95_seconds=share_of_time(times, 0.95),
        fee_micro_usd=price[0] if price else None,
        seconds=price[1] if price else None,
    )
