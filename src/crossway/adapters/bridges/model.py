"""The shared model of a bridge: data file, served routes, limits and the relayer's own costs."""

import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.money import MICRO_USD_DECIMALS, format_units, parse_decimal
from crossway.domain.quotes import BridgeName, BridgeQuote, QuoteRejected, Route, RouteRequest

# Data files give rates in basis points with up to two decimals: 1.3 is 130 hundredths.
RATE_PLACES = 2
HUNDREDTHS_IN_WHOLE = 1_000_000
PCT_PER_HUNDREDTH = 10**18 // HUNDREDTHS_IN_WHOLE


def load_data(name: BridgeName) -> Mapping[str, Any]:
    """The data file of a bridge; every value in it cites its source."""
    data_file = files("crossway.adapters.bridges").joinpath(f"{name.lower()}.toml")
    return tomllib.loads(data_file.read_text(encoding="utf-8"))


def parse_rate(rate_bps: str) -> int:
    """Parse a rate in basis points, such as `1.3`, into hundredths of a basis point."""
    return parse_decimal("rate", rate_bps, RATE_PLACES)


def apply_rate(amount: int, rate_hundredths: int) -> int:
    """The fee that a rate takes of an amount, rounded up."""
    return -(-amount * rate_hundredths // HUNDREDTHS_IN_WHOLE)


def chain_family(chain_id: str) -> str:
    """`BASE` for `BASE_MAINNET` and `BASE_TESTNET`; fees are the same for both."""
    return chain_id.rsplit("_", 1)[0]


@dataclass(frozen=True, slots=True)
class BridgeRoute:
    """A served pair of chains with the relayer's network costs in micro-USD.

    The relayer pays for the start on the source and its fill on the destination. `arrival_cost` is
    the cost there of the bridge's own payout: a mint, or another relayer's gas.
    """

    source: Chain
    destination: Chain
    start_and_fill_cost: int
    arrival_cost: int


class BridgeModel:
    """The served routes and limits of a bridge, from its data file and the catalogue."""

    def __init__(
        self, name: BridgeName, data: Mapping[str, Any], chains: Collection[Chain]
    ) -> None:
        self.name = name
        self.minimum = parse_decimal("minimum_usd", data["minimum_usd"], MICRO_USD_DECIMALS)
        self.maximum = parse_decimal("maximum_usd", data["maximum_usd"], MICRO_USD_DECIMALS)
        self.served = {
            (source.id, destination.id): _bridge_route(source, destination)
            for source in chains
            for destination in chains
            if source.id != destination.id and source.testnet == destination.testnet
        }
        self.routes = tuple(
            Route(
                name,
                source,
                destination,
                bidirectional=(destination, source) in self.served,
                min_micro_usd=self.minimum,
                max_micro_usd=self.maximum,
            )
            for source, destination in self.served
        )

    def get_quotes(
        self,
        requests: Sequence[RouteRequest],
        price: Callable[[RouteRequest, BridgeRoute], BridgeQuote],
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        """A quote or a rejection for each request, in order."""
        routes = [(request, self._find_route(request)) for request in requests]
        return [
            price(request, route) if isinstance(route, BridgeRoute) else route
            for request, route in routes
        ]

    def _find_route(self, request: RouteRequest) -> BridgeRoute | QuoteRejected:
        route = self.served.get((request.source, request.destination))
        if route is None:
            reason = f"{self.name} does not support {request.source} -> {request.destination}"
            return QuoteRejected(self.name, request, reason, supported=False)
        if request.amount_micro_usd < self.minimum:
            return QuoteRejected(
                self.name, request, f"{self.name} takes at least {_usd(self.minimum)} USD"
            )
        if request.amount_micro_usd > self.maximum:
            return QuoteRejected(
                self.name, request, f"{self.name} takes at most {_usd(self.maximum)} USD"
            )
        return route


def select_chains(catalogue: Catalogue, names: Collection[str]) -> list[Chain]:
    """The catalogue's chains with the given ids."""
    return [chain for chain in catalogue.chains.values() if chain.id in names]


def _bridge_route(source: Chain, destination: Chain) -> BridgeRoute:
    arrival = destination.transfer_cost_micro_usd
    return BridgeRoute(source, destination, source.transfer_cost_micro_usd + arrival, arrival)


def _usd(micro_usd: int) -> str:
    return format_units(micro_usd, MICRO_USD_DECIMALS, least_places=2)
