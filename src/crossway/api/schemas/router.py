"""Bridges and their routes on the wire."""

from collections.abc import Iterable
from typing import Any

from pydantic import Field

from crossway.api.answers import instant
from crossway.api.schemas.fields import TIME, Model, bridge, chain, text
from crossway.domain.quotes import Route
from crossway.usecases.pricing.router import Between, Routes


class RouteOut(Model):
    """One route of a bridge."""

    sourceChain: str = chain("Where money is paid in.")
    destinationChain: str = chain("Where it is paid out.", "ARBITRUM_MAINNET")
    supported: bool = text("Whether it can be used now.", True)
    bidirectional: bool = text("Whether the bridge serves the other direction too.", True)


class BridgesMetadata(Model):
    """Totals of the catalogue."""

    totalBridges: int = text("How many bridges there are.", 4)
    totalRoutes: int = text("How many routes they have together.", 512)
    lastUpdated: str = text("As of when.", TIME)


class BridgesOut(Model):
    """Every bridge with its routes."""

    bridges: dict[str, list[RouteOut]] = Field(description="Routes by the name of the bridge.")
    metadata: BridgesMetadata = Field(description="Totals.")


class RouteInfo(Model):
    """A pair of chains and how many bridges serve it."""

    sourceChain: str = chain("Where money is paid in.")
    destinationChain: str = chain("Where it is paid out.", "ARBITRUM_MAINNET")
    bridgeCount: int = text("How many bridges serve the pair.", 3)
    isSupported: bool = text("Whether any does.", True)


class BridgesOfRoute(Model):
    """The bridges between two chains."""

    supportedBridges: list[str] = text("The bridges that serve the pair now.", ["ACROSS", "CCTP"])
    routeInfo: RouteInfo = Field(description="The pair.")


class BridgeInfo(Model):
    """A bridge and how many routes it has."""

    bridge: str = bridge("The bridge.")
    routeCount: int = text("How many routes it has.", 132)


class RoutesOfBridge(Model):
    """The routes of one bridge."""

    supportedRoutes: list[RouteOut] = Field(description="Its routes.")
    bridgeInfo: BridgeInfo = Field(description="The bridge.")


def bridges(found: Routes) -> dict[str, Any]:
    """Every bridge with its routes."""
    return {
        "bridges": {name.value: _routes(routes) for name, routes in found.bridges.items()},
        "metadata": {
            "totalBridges": found.total_bridges,
            "totalRoutes": found.total_routes,
            "lastUpdated": instant(found.updated_at),
        },
    }


def between(found: Between) -> dict[str, Any]:
    """The bridges between two chains."""
    return {
        "supportedBridges": list(found.bridges),
        "routeInfo": {
            "sourceChain": found.source,
            "destinationChain": found.destination,
            "bridgeCount": len(found.bridges),
            "isSupported": bool(found.bridges),
        },
    }


def of_bridge(name: str, routes: tuple[Route, ...]) -> dict[str, Any]:
    """The routes of one bridge."""
    return {
        "supportedRoutes": _routes(routes),
        "bridgeInfo": {"bridge": name, "routeCount": len(routes)},
    }


def _routes(routes: Iterable[Route]) -> list[dict[str, Any]]:
    return [
        {
            "sourceChain": route.source,
            "destinationChain": route.destination,
            "supported": route.enabled,
            "bidirectional": route.bidirectional,
        }
        for route in routes
    ]
