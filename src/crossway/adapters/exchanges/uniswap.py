"""Uniswap v3 on live EVM chains: which tokens it sells, by what way, and what it asks for."""

import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from crossway.adapters.chains.rpc.pool_paths import PoolPath, SwapQuoter
from crossway.adapters.exchanges.pool_ways import PoolWays
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import Unreachable
from crossway.domain.money import (
    Price,
    Token,
    micro_usd_up,
    units_for_micro_usd_up,
)
from crossway.domain.swaps import BPS_IN_WHOLE, SwapQuote, percent_of_bps
from crossway.ports.exchange import SwapRejected, SwapRequest
from crossway.ports.prices import Prices

NAME: Final = "Uniswap v3"
# A part of a swap this small moves no price.
_SAMPLE: Final = 1_000
Answer = SwapQuote | SwapRejected


@dataclass(frozen=True, slots=True)
class _Sought:
    """One swap to price: its tokens, and the output in units."""

    request: SwapRequest
    token_in: Token
    token_out: Token
    output: int


class UniswapExchange:
    """`ports.exchange.Exchange` over the quoters of these chains; safe to share between threads.

    What a swap costs is what its pools ask for beyond the value that it buys, at the prices by
    which payments are quoted.
    """

    runs_in_process = False
    prices_alike = False

    def __init__(
        self,
        catalogue: Catalogue,
        quoters: Mapping[str, SwapQuoter],
        prices: Prices,
        executor: Executor,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._catalogue, self._prices, self._executor = catalogue, prices, executor
        listed = uniswap_data()["chain"]
        self._ways = {
            chain: PoolWays(quoter, listed[chain], uniswap_data(), timer)
            for chain, quoter in quoters.items()
            if chain in listed
        }

    def sells(self, chain: str, symbol_in: str, symbol_out: str) -> bool:
        """Whether both are tokens that are offered on a chain with pools; they may lack one."""
        tokens = (self._catalogue.tokens.get((chain, s)) for s in (symbol_in, symbol_out))
        return chain in self._ways and all(token and token.enabled for token in tokens)

    def get_quotes(self, requests: Sequence[SwapRequest]) -> Sequence[Answer]:
        """A quote or a rejection for each request, in order. Raises `Unreachable` where there are
        no prices."""
        symbols = {s for each in requests for s in (each.symbol_in, each.symbol_out)}
        prices = self._prices.get_usd_prices(symbols) if symbols else {}
        by_chain: dict[str, list[int]] = {}
        for place, request in enumerate(requests):
            by_chain.setdefault(request.chain, []).append(place)
        running = {
            chain: self._executor.submit(
                self._ask, chain, [requests[place] for place in places], prices
            )
            for chain, places in by_chain.items()
        }
        answers: dict[int, Answer] = {}
        for chain, places in by_chain.items():
            answers |= zip(places, running[chain].result(), strict=True)
        return [answers[place] for place in range(len(requests))]

    def _ask(
        self, chain: str, requests: Sequence[SwapRequest], prices: Mapping[str, Price]
    ) -> Sequence[Answer]:
        """The answers of one chain."""
        sought = [self._seek(request, prices) for request in requests]
        try:
            costs = self._costs(chain, [each for each in sought if each is not None])
        except Unreachable as error:
            return [SwapRejected(f"{NAME} on {chain} gives no quote: {error}") for _ in requests]
        found = iter(costs)
        return [
            _no_price(request) if each is None else _answer(each, next(found), prices)
            for request, each in zip(requests, sought, strict=True)
        ]

    def _seek(self, request: SwapRequest, prices: Mapping[str, Price]) -> _Sought | None:
        tokens = self._catalogue.tokens
        token_in = tokens[request.chain, request.symbol_in]
        token_out = tokens[request.chain, request.symbol_out]
        if request.symbol_in not in prices or (price := prices.get(request.symbol_out)) is None:
            return None
        output = units_for_micro_usd_up(request.micro_usd, token_out.decimals, price.pico_usd)
        return _Sought(request, token_in, token_out, max(output, _SAMPLE))

    def _costs(
        self, chain: str, sought: Sequence[_Sought]
    ) -> Sequence[tuple[PoolPath, int, int] | None]:
        """By the best way of each, what its output costs and what a sample of it does, in units;
        None where there is no way. Raises `Unreachable`."""
        ways = self._ways[chain]
        native = self._catalogue.native_token(chain)
        pairs = [(each.token_out.address, each.token_in.address, each.output) for each in sought]
        return ways.price(pairs, _SAMPLE, native)


def _answer(
    sought: _Sought, cost: tuple[PoolPath, int, int] | None, prices: Mapping[str, Price]
) -> Answer:
    request = sought.request
    # No pool sells for nothing: a node that says so has no answer.
    if cost is None or not cost[1]:
        return SwapRejected(
            f"{NAME} has no pool that sells {request.symbol_out} for {request.symbol_in} on "
            f"{request.chain}"
        )
    path, units, sample = cost
    paid = micro_usd_up(units, sought.token_in.decimals, prices[request.symbol_in].pico_usd)
    cost_bps = max(0, -(-(paid - request.micro_usd) * BPS_IN_WHOLE // paid))
    if cost_bps > (most := uniswap_data()["most_cost_bps"]):
        return SwapRejected(
            f"{NAME} asks for more than {percent_of_bps(most)}% beyond the value of "
            f"{request.symbol_out} bought with {request.symbol_in} on {request.chain}"
        )
    impact = -(-(units - sample * _SAMPLE) * BPS_IN_WHOLE // units)
    return SwapQuote(NAME, cost_bps, max(0, impact), "0x" + path.encode().hex())


def _no_price(request: SwapRequest) -> SwapRejected:
    return SwapRejected(f"there is no price for {request.symbol_in} or {request.symbol_out}")


@cache
def uniswap_data() -> Mapping[str, Any]:
    """The content of uniswap.toml."""
    data_file = files("crossway.adapters.exchanges").joinpath("uniswap.toml")
    return tomllib.loads(data_file.read_text(encoding="utf-8"))
