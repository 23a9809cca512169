"""The catalogue of routes: which bridges serve which chains, and the best route now."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.quotes import BridgeName, Quote, Route
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import (
    active_kill_switches,
    is_chain_disabled,
    is_route_disabled,
    is_source_disabled,
)
from crossway.usecases.chains.request_fields import parse_known_chain
from crossway.usecases.pricing import quotes
from crossway.usecases.pricing.priced_request import QuoteRequest
from crossway.usecases.validation_errors import ValidationErrors


@dataclass(frozen=True, slots=True)
class RouteCatalogue:
    """All routes by bridge; a disabled route is listed as not enabled."""

    bridges: Mapping[BridgeName, tuple[Route, ...]]
    updated_at: datetime

    @property
    def total_bridges(self) -> int:
        """The number of bridges."""
        return len(self.bridges)

    @property
    def total_routes(self) -> int:
        """The number of routes of all bridges."""
        return sum(map(len, self.bridges.values()))


@dataclass(frozen=True, slots=True)
class RouteBridges:
    """The bridges that currently serve one pair of chains."""

    source: str
    destination: str
    bridges: tuple[BridgeName, ...]


@dataclass(frozen=True, slots=True)
class OptimalRoute:
    """The best quote of a route. `bridge_address` is the contract that collects its deposit, None
    within one chain; `bridges` serve the pair of chains."""

    quote: Quote
    bridge_address: str | None
    bridges: tuple[BridgeName, ...]


def list_routes(services: Services) -> RouteCatalogue:
    """Every route between configured chains, as of now."""
    disabled, configured = active_kill_switches(services), services.chains
    by_bridge = {
        bridge.name: tuple(
            with_enabled_flag(route, disabled)
            for route in bridge.routes()
            if route.source in configured and route.destination in configured
        )
        for bridge in services.bridges
    }
    return RouteCatalogue(by_bridge, services.clock.now())


def list_bridges_between(
    services: Services, caller: Principal | None, source: str | None, destination: str | None
) -> RouteBridges:
    """The bridges that serve a pair of chains, possibly none. Raises `InvalidInput`."""
    errors = ValidationErrors()
    source_chain = errors.collect(parse_known_chain, services, caller, source, "sourceChain")
    destination_chain = errors.collect(
        parse_known_chain, services, caller, destination, "destinationChain"
    )
    errors.raise_if_any()
    assert source_chain is not None
    assert destination_chain is not None
    serving = tuple(
        name
        for name, routes in list_routes(services).bridges.items()
        if any(
            r.enabled and r.source == source_chain.id and r.destination == destination_chain.id
            for r in routes
        )
    )
    return RouteBridges(source_chain.id, destination_chain.id, serving)


def list_routes_of_bridge(services: Services, bridge: str | None) -> tuple[Route, ...]:
    """The routes of one bridge; raises `InvalidInput` for an unknown one."""
    for name, routes in list_routes(services).bridges.items():
        if name == bridge:
            return routes
    raise InvalidInput(f"bridge must be one of {', '.join(BridgeName)}")


def find_optimal_route(
    services: Services, caller: Principal | None, request: QuoteRequest
) -> OptimalRoute:
    """The best quote of a route, with the contract that collects its deposit and every bridge that
    serves its chains. Raises `InvalidInput` where none does, or none takes this payment."""
    quote = quotes.optimal_quote(services, caller, request)
    if quote.bridge is None:
        return OptimalRoute(quote, None, ())
    bridges = list_bridges_between(services, caller, quote.source, quote.destination).bridges
    collector = services.chains[quote.source].accounts.collector(quote.collector)
    return OptimalRoute(quote, collector, bridges)


def with_enabled_flag(route: Route, disabled: Collection[str]) -> Route:
    """The route, enabled unless one of these kill switches disables it."""
    chain_disabled = is_source_disabled(disabled, route.source) or is_chain_disabled(
        disabled, route.destination
    )
    enabled = not chain_disabled and not is_route_disabled(
        disabled, route.bridge, route.source, route.destination
    )
    return route if route.enabled == enabled else replace(route, enabled=enabled)
