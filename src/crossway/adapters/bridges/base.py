"""What every bridge model does: routes and quotes from figures in a data file, without network
calls."""

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from importlib.resources import files
from itertools import product
from typing import Any

from crossway.domain.bridge_transfer import Custody
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


@lru_cache(4_096)
def encode_words(*numbers: int) -> str:
    """ABI-encode numbers as the consecutive 32-byte words that bridge contracts read, in hex."""
    return "0x" + b"".join([number.to_bytes(32, "big") for number in numbers]).hex()


@dataclass(frozen=True, slots=True)
class BridgeRoute:
    """A served pair of chains, as the route that is `listed`, and the costs of calls in micro-USD.

    `start_cost` is a call on the source, `arrival_cost` one on the destination: the bridge's own
    delivery there, or another relayer's gas.
    """

    source: Chain
    destination: Chain
    listed: Route
    start_cost: int
    arrival_cost: int

    @property
    def network_cost(self) -> int:
        """What a payment out of inventory costs: its start and its fill, and a bridge's delivery,
        by which the inventory comes back."""
        return self.start_cost + 2 * self.arrival_cost


class BridgeModel(ABC):
    """A bridge that quotes every route between its chains, within the limits of its data file.

    `tokens` has the symbols that it carries by chain, each as the same symbol on both ends; None:
    any token into any other. Those of them that are in `exchanges` are exchanged for each other on
    the way. `name` and `runs_in_process` as in `ports.bridge.Bridge`; a model
    implements `_quote`.
    """

    name: BridgeName
    runs_in_process = True

    def __init__(
        self,
        data: Mapping[str, Any],
        chains: Collection[Chain],
        tokens: Mapping[str, Collection[str]] | None,
        custody: Custody = Custody.OPERATOR,
        exchanges: Collection[str] = (),
    ) -> None:
        self._minimum = parse_decimal("minimum_usd", data["minimum_usd"], MICRO_USD_DECIMALS)
        self._maximum = parse_decimal("maximum_usd", data["maximum_usd"], MICRO_USD_DECIMALS)
        self._custody = custody
        carried = {symbol for symbols in (tokens or {}).values() for symbol in symbols}
        self._only_symbol = carried.pop() if len(carried) == 1 else None
        self._served = {
            (source.id, destination.id): BridgeRoute(
                source,
                destination,
                listed,
                source.transfer_cost_micro_usd,
                destination.transfer_cost_micro_usd,
            )
            for source in chains
            for destination in chains
            if source.id != destination.id and source.testnet == destination.testnet
            if (listed := self._list(source.id, destination.id, tokens, exchanges)) is not None
        }
        self._routes = tuple(route.listed for route in self._served.values())

    def routes(self) -> Sequence[Route]:
        """The routes that the bridge serves."""
        return self._routes

    def get_quotes(
        self, requests: Sequence[RouteRequest], now: datetime
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        """A quote or a rejection for each request, in order."""
        return [self._answer(request, now) for request in requests]

    def _answer(self, request: RouteRequest, now: datetime) -> BridgeQuote | QuoteRejected:
        route = self._served.get((request.source, request.destination))
        if route is None:
            reason = f"{self.name} does not support {request.source} -> {request.destination}"
            return QuoteRejected(self.name, request, reason, supported=False, param="")
        if not route.listed.carries(request.symbol_in, request.symbol_out):
            return self._reject_tokens(request)
        if request.amount_micro_usd < self._minimum:
            reason = f"{self.name} takes at least {_usd(self._minimum)} USD"
            return QuoteRejected(self.name, request, reason)
        if request.amount_micro_usd > self._maximum:
            reason = f"{self.name} takes at most {_usd(self._maximum)} USD"
            return QuoteRejected(self.name, request, reason)
        return self._quote(request, route, now)

    def _reject_tokens(self, request: RouteRequest) -> QuoteRejected:
        symbol_in, symbol_out = request.symbol_in, request.symbol_out
        if self._only_symbol is not None:
            param = "tokenIn" if symbol_in != self._only_symbol else "tokenOut"
            reason = f"{self.name} carries {self._only_symbol} only"
            return QuoteRejected(self.name, request, reason, param=param)
        if symbol_in != symbol_out:
            reason = f"{self.name} does not exchange {symbol_in} for {symbol_out}"
            return QuoteRejected(self.name, request, reason, param="tokenIn")
        pair = f"{request.source} -> {request.destination}"
        reason = f"{self.name} does not carry {symbol_in} {pair}"
        return QuoteRejected(self.name, request, reason, param="tokenIn")

    def _list(
        self,
        source: str,
        destination: str,
        tokens: Mapping[str, Collection[str]] | None,
        exchanges: Collection[str],
    ) -> Route | None:
        """The route between two chains; None where nothing is carried."""
        symbols, exchanged = None, frozenset[tuple[str, str]]()
        if tokens is not None:
            paid, received = frozenset(tokens[source]), frozenset(tokens[destination])
            symbols = paid & received
            pairs = product(paid.intersection(exchanges), received.intersection(exchanges))
            exchanged = frozenset(pair for pair in pairs if pair[0] != pair[1])
            if not symbols and not exchanged:
                return None
        return Route(
            self.name,
            source,
            destination,
            # What is carried in one direction is so in the other.
            bidirectional=True,
            min_micro_usd=self._minimum,
            max_micro_usd=self._maximum,
            symbols=symbols,
            custody=self._custody,
            exchanged=exchanged,
        )

    @abstractmethod
    def _quote(self, request: RouteRequest, route: BridgeRoute, now: datetime) -> BridgeQuote:
        """The quote of a served route for an amount within the limits."""


def list_symbols(
    catalogue: Catalogue, symbols: Mapping[str, Collection[str]]
) -> Mapping[str, frozenset[str]]:
    """The symbols by chain, without those that the catalogue lacks or does not offer there."""
    return {
        chain: frozenset(
            symbol
            for symbol in listed
            if (token := catalogue.tokens.get((chain, symbol))) is not None and token.enabled
        )
        for chain, listed in symbols.items()
    }


def _usd(micro_usd: int) -> str:
    return format_units(micro_usd, MICRO_USD_DECIMALS, least_places=2)
