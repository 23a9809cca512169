"""The catalogue of routes: which bridge goes where, and which of them is best now."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput
from crossway.domain.quotes import BridgeName, Quote, Route
from crossway.ports.services import Services
from crossway.usecases.complaints import Complaints
from crossway.usecases.network.switches import chain_is_off, route_is_off, switched_off
from crossway.usecases.pricing import quotes
from crossway.usecases.pricing.cases import Asked


@dataclass(frozen=True, slots=True)
class Routes:
    """All routes by bridge; a route that is switched off is listed as not enabled."""

    bridges: Mapping[BridgeName, tuple[Route, ...]]
    updated_at: datetime

    @property
    def total_bridges(self) -> int:
        """How many bridges there are."""
        return len(self.bridges)

    @property
    def total_routes(self) -> int:
        """How many routes all bridges have together."""
        return sum(map(len, self.bridges.values()))


@dataclass(frozen=True, slots=True)
class Between:
    """The bridges that serve one pair of chains now."""

    source: str
    destination: str
    bridges: tuple[BridgeName, ...]


def routes(services: Services) -> Routes:
    """Every route between configured chains, as of now."""
    off, known = switched_off(services), services.chains
    by_bridge = {
        bridge.name: tuple(
            _marked(route, off)
            for route in bridge.routes()
            if route.source in known and route.destination in known
        )
        for bridge in services.bridges
    }
    return Routes(by_bridge, services.clock.now())


def between(services: Services, source: str | None, destination: str | None) -> Between:
    """The bridges that serve a pair of chains; none is a fair answer."""
    complaints, catalogue = Complaints(), services.catalogue
    frm = complaints.read(lambda: catalogue.chain(source, "sourceChain"))
    to = complaints.read(lambda: catalogue.chain(destination, "destinationChain"))
    complaints.refuse()
    assert frm is not None
    assert to is not None
    serving = tuple(
        name
        for name, listed in routes(services).bridges.items()
        if any(r.enabled and r.source == frm.id and r.destination == to.id for r in listed)
    )
    return Between(frm.id, to.id, serving)


def of_bridge(services: Services, bridge: str | None) -> tuple[Route, ...]:
    """The routes of one bridge."""
    for name, listed in routes(services).bridges.items():
        if name == bridge:
            return listed
    raise InvalidInput(f"bridge must be one of {', '.join(BridgeName)}")


def optimal(services: Services, caller: Caller | None, asked: Asked) -> Quote:
    """The best quote, whose bridge and chains are the optimal route."""
    return quotes.best(services, caller, asked)


def _marked(route: Route, off: Collection[str]) -> Route:
    ends = chain_is_off(off, route.source) or chain_is_off(off, route.destination)
    closed = ends or route_is_off(off, route.bridge, route.source, route.destination)
    return replace(route, enabled=False) if closed else route
