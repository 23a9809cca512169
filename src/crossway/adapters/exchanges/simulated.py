"""The exchange of the simulated network: a model with one price, one fee and one depth."""

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from crossway.domain.catalogue import Catalogue
from crossway.domain.money import MICRO_USD_DECIMALS, parse_decimal
from crossway.domain.swaps import BPS_IN_WHOLE, SwapQuote, percent_of_bps
from crossway.ports.exchange import SwapRejected, SwapRequest

NAME: Final = "Simulated exchange"


class SimulatedExchange:
    """`ports.exchange.Exchange` of the simulated network: it sells any token of the catalogue for
    any other on the same chain."""

    runs_in_process = True
    prices_alike = True

    def __init__(self, catalogue: Catalogue) -> None:
        data_file = files("crossway.adapters.exchanges").joinpath("simulated.toml")
        data = tomllib.loads(data_file.read_text(encoding="utf-8"))
        self._fee_bps: int = data["fee_bps"]
        self._depth = parse_decimal("depth_usd", data["depth_usd"], MICRO_USD_DECIMALS)
        self._most_impact_bps: int = data["most_impact_bps"]
        self._catalogue = catalogue

    def sells(self, chain: str, symbol_in: str, symbol_out: str) -> bool:
        """Whether both are tokens that are offered on the chain."""
        tokens = (self._catalogue.tokens.get((chain, s)) for s in (symbol_in, symbol_out))
        return all(token is not None and token.enabled for token in tokens)

    def get_quotes(self, requests: Sequence[SwapRequest]) -> Sequence[SwapQuote | SwapRejected]:
        """A quote or a rejection for each request, in order."""
        return [self._quote(request) for request in requests]

    def _quote(self, request: SwapRequest) -> SwapQuote | SwapRejected:
        impact_bps = -(-request.micro_usd * BPS_IN_WHOLE // self._depth)
        if impact_bps > self._most_impact_bps:
            return SwapRejected(
                f"the swap of {request.symbol_in} for {request.symbol_out} would move the price by "
                f"more than {percent_of_bps(self._most_impact_bps)}%"
            )
        return SwapQuote(NAME, self._fee_bps + impact_bps, impact_bps)
