"""Response models of `/v1/router`."""

from collections.abc import Sequence
from typing import Self

from pydantic import Field

from crossway.api.schemas.fields import TIME, Model, bridge_field, chain_field, field
from crossway.domain.quotes import Route
from crossway.usecases.instants import timestamp
from crossway.usecases.pricing.router import RouteBridges, RouteCatalogue


class RouteOut(Model):
    """One route of a bridge."""

    sourceChain: str = chain_field("Source chain.")
    destinationChain: str = chain_field("Destination chain.", "ARBITRUM_MAINNET")
    supported: bool = field("Whether it can be used now.", True)
    bidirectional: bool = field("Whether the bridge serves the other direction too.", True)

    @classmethod
    def from_route(cls, route: Route) -> Self:
        """One route."""
        return cls(
            sourceChain=route.source,
            destinationChain=route.destination,
            supported=route.enabled,
            bidirectional=route.bidirectional,
        )


class BridgesMetadata(Model):
    """Totals of the catalogue."""

    totalBridges: int = field("Number of bridges.", 5)
    totalRoutes: int = field("Total number of routes.", 570)
    lastUpdated: str = field("Time of this information.", TIME)


class BridgesOut(Model):
    """Every bridge with its routes."""

    bridges: dict[str, list[RouteOut]] = Field(description="Routes by the name of the bridge.")
    metadata: BridgesMetadata = Field(description="Totals.")

    @classmethod
    def from_catalogue(cls, catalogue: RouteCatalogue) -> Self:
        """Every bridge with its routes."""
        return cls(
            bridges={
                name.value: [RouteOut.from_route(route) for route in routes]
                for name, routes in catalogue.bridges.items()
            },
            metadata=BridgesMetadata(
                totalBridges=catalogue.total_bridges,
                totalRoutes=catalogue.total_routes,
                lastUpdated=timestamp(catalogue.updated_at),
            ),
        )


class RouteInfo(Model):
    """A pair of chains and how many bridges serve it."""

    sourceChain: str = chain_field("Source chain.")
    destinationChain: str = chain_field("Destination chain.", "ARBITRUM_MAINNET")
    bridgeCount: int = field("Number of bridges that serve the pair.", 3)
    isSupported: bool = field("Whether any bridge serves the pair.", True)


class BridgesOfRoute(Model):
    """The bridges between two chains."""

    supportedBridges: list[str] = field("The bridges that serve the pair now.", ["ACROSS", "CCTP"])
    routeInfo: RouteInfo = Field(description="The pair.")

    @classmethod
    def from_bridges(cls, route: RouteBridges) -> Self:
        """The bridges between two chains."""
        return cls(
            supportedBridges=list(route.bridges),
            routeInfo=RouteInfo(
                sourceChain=route.source,
                destinationChain=route.destination,
                bridgeCount=len(route.bridges),
                isSupported=bool(route.bridges),
            ),
        )


class BridgeInfo(Model):
    """A bridge and how many routes it has."""

    bridge: str = bridge_field("The bridge.")
    routeCount: int = field("Number of its routes.", 132)


class RoutesOfBridge(Model):
    """The routes of one bridge."""

    supportedRoutes: list[RouteOut] = Field(description="Its routes.")
    bridgeInfo: BridgeInfo = Field(description="The bridge.")

    @classmethod
    def from_routes(cls, bridge: str, routes: Sequence[Route]) -> Self:
        """The routes of one bridge."""
        return cls(
            supportedRoutes=[RouteOut.from_route(route) for route in routes],
            bridgeInfo=BridgeInfo(bridge=bridge, routeCount=len(routes)),
        )
