"""What the modelled bridges share: the data file, the reach, the limits and the network's costs."""

import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.money import MICRO_USD_DECIMALS, format_units, parse_decimal
from crossway.domain.quotes import BridgeName, Leg, NoOffer, Offer, Route

# Rates are written in basis points with up to two places: 1.3 is 130 hundredths.
RATE_PLACES = 2
HUNDREDTHS_IN_WHOLE = 1_000_000
PCT_PER_HUNDREDTH = 10**18 // HUNDREDTHS_IN_WHOLE


def data_of(name: BridgeName) -> Mapping[str, Any]:
    """The data file of a bridge; every figure in it names its source."""
    file = files("crossway.adapters.bridges").joinpath(f"{name.lower()}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def hundredths(rate_bps: str) -> int:
    """A rate in basis points, such as `1.3`, in hundredths of a basis point."""
    return parse_decimal("rate", rate_bps, RATE_PLACES)


def rate_up(amount: int, rate_hundredths: int) -> int:
    """A rate of an amount, rounded up to a whole unit."""
    return -(-amount * rate_hundredths // HUNDREDTHS_IN_WHOLE)


def family(chain_id: str) -> str:
    """`BASE` for `BASE_MAINNET` and `BASE_TESTNET`: bridges treat both alike."""
    return chain_id.rsplit("_", 1)[0]


@dataclass(frozen=True, slots=True)
class Lane:
    """One served pair of chains and what the network itself costs on it, in micro-USD.

    The relayer pays for the start on the source, for its own fill on the destination, and once
    more there for the bridge's money to arrive (`arrival`): a mint, or another relayer's gas.
    """

    source: Chain
    destination: Chain
    start_and_fill: int
    arrival: int


class Model:
    """A bridge's reach and limits, from its data file and the catalogue."""

    def __init__(
        self, name: BridgeName, data: Mapping[str, Any], chains: Collection[Chain]
    ) -> None:
        self.name = name
        self.minimum = parse_decimal("minimum_usd", data["minimum_usd"], MICRO_USD_DECIMALS)
        self.maximum = parse_decimal("maximum_usd", data["maximum_usd"], MICRO_USD_DECIMALS)
        self.lanes = {
            (source.id, destination.id): _lane(source, destination)
            for source in chains
            for destination in chains
            if source.id != destination.id and source.testnet == destination.testnet
        }
        self.routes = tuple(
            Route(
                name,
                source,
                destination,
                bidirectional=(destination, source) in self.lanes,
                least_micro_usd=self.minimum,
                most_micro_usd=self.maximum,
            )
            for source, destination in self.lanes
        )

    def answers(
        self, legs: Sequence[Leg], price: Callable[[Leg, Lane], Offer]
    ) -> Sequence[Offer | NoOffer]:
        """One answer a leg, in order: the price, or why there is none."""
        lanes = [(leg, self._lane_of(leg)) for leg in legs]
        return [price(leg, lane) if isinstance(lane, Lane) else lane for leg, lane in lanes]

    def _lane_of(self, leg: Leg) -> Lane | NoOffer:
        lane = self.lanes.get((leg.source, leg.destination))
        if lane is None:
            reason = f"{self.name} does not support {leg.source} -> {leg.destination}"
            return NoOffer(self.name, leg, reason, supported=False)
        if leg.amount_micro_usd < self.minimum:
            return NoOffer(self.name, leg, f"{self.name} takes at least {_usd(self.minimum)} USD")
        if leg.amount_micro_usd > self.maximum:
            return NoOffer(self.name, leg, f"{self.name} takes at most {_usd(self.maximum)} USD")
        return lane


def listed(catalogue: Catalogue, names: Collection[str]) -> list[Chain]:
    """Those of the listed chains that the catalogue has."""
    return [chain for chain in catalogue.chains.values() if chain.id in names]


def _lane(source: Chain, destination: Chain) -> Lane:
    arrival = destination.transfer_cost_micro_usd
    return Lane(source, destination, source.transfer_cost_micro_usd + arrival, arrival)


def _usd(micro_usd: int) -> str:
    return format_units(micro_usd, MICRO_USD_DECIMALS, least_places=2)
