"""Bridges whose payments may begin with a swap of the payer's token on the source chain."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from crossway.domain.quotes import BridgeQuote, QuoteRejected, Route, RouteRequest
from crossway.domain.swaps import SwapQuote
from crossway.ports.bridge import Bridge
from crossway.ports.exchange import Exchange, SwapRejected, SwapRequest

Answer = BridgeQuote | QuoteRejected


class SwappingBridge:
    """A bridge that also takes tokens that it neither carries nor exchanges, where an exchange
    sells them for the one that it pays out. `collectors` are the contracts that swap, by the
    contract that the bridge's quote names: one that is not among them does not."""

    def __init__(self, bridge: Bridge, exchange: Exchange, collectors: Mapping[str, str]) -> None:
        self.name, self._bridge, self._exchange = bridge.name, bridge, exchange
        self._routes = {
            (route.source, route.destination): replace(route, swaps=True)
            for route in bridge.routes()
        }
        self._collectors = collectors
        self.runs_in_process = bridge.runs_in_process and exchange.runs_in_process

    def routes(self) -> Sequence[Route]:
        """Those of the bridge, with the tokens that an exchange sells for what they carry."""
        return list(self._routes.values())

    def get_quotes(self, requests: Sequence[RouteRequest], now: datetime) -> Sequence[Answer]:
        """One answer for each request, in order. Raises `Unreachable`."""
        swapped = [self._needs_swap(request) for request in requests]
        if not any(swapped):
            return self._bridge.get_quotes(requests, now)
        asked = [
            _without_swap(request) if swaps else request
            for request, swaps in zip(requests, swapped, strict=True)
        ]
        answers = list(self._bridge.get_quotes(asked, now))
        found = [
            (place, answer)
            for place, (answer, swaps) in enumerate(zip(answers, swapped, strict=True))
            if swaps and isinstance(answer, BridgeQuote)
        ]
        for place, answer in self._swap(requests, found):
            answers[place] = answer
        return answers

    def close(self) -> None:
        """Close the connections of the bridge."""
        if (close := getattr(self._bridge, "close", None)) is not None:
            close()

    def _needs_swap(self, request: RouteRequest) -> bool:
        symbols = request.symbol_in, request.symbol_out
        route = self._routes.get((request.source, request.destination))
        return (
            symbols[0] != symbols[1]
            and not (route is not None and route.carries(*symbols))
            and self._exchange.sells(request.source, *symbols)
        )

    def _swap(
        self, requests: Sequence[RouteRequest], found: Sequence[tuple[int, BridgeQuote]]
    ) -> Sequence[tuple[int, Answer]]:
        """The answers with their swaps, or why there is none."""
        swapping = [(i, quote) for i, quote in found if quote.collector in self._collectors]
        swaps = self._exchange.get_quotes(
            [
                SwapRequest(
                    quote.request.source,
                    requests[i].symbol_in,
                    requests[i].symbol_out,
                    quote.request.amount_micro_usd + quote.fee_micro_usd,
                )
                for i, quote in swapping
            ]
        )
        answers: list[tuple[int, Answer]] = [
            (i, self._reject(requests[i], f"{self.name} does not swap {requests[i].symbol_in}"))
            for i, quote in found
            if quote.collector not in self._collectors
        ]
        for (i, quote), swap in zip(swapping, swaps, strict=True):
            answers.append((i, self._with_swap(requests[i], quote, swap)))
        return answers

    def _with_swap(
        self, request: RouteRequest, quote: BridgeQuote, swap: SwapQuote | SwapRejected
    ) -> Answer:
        if isinstance(swap, SwapRejected):
            return self._reject(request, swap.reason)
        collector = self._collectors[quote.collector]
        cost = swap.cost_of(request.amount_micro_usd + quote.fee_micro_usd)
        fee = quote.fee_micro_usd + cost
        return replace(
            quote,
            request=request,
            collector=collector,
            fee_micro_usd=fee,
            swap=swap,
            swap_micro_usd=cost,
        )

    def _reject(self, request: RouteRequest, reason: str) -> QuoteRejected:
        return QuoteRejected(self.name, request, reason, param="tokenIn")


def _without_swap(request: RouteRequest) -> RouteRequest:
    """What the bridge carries after a swap; `replace` would take three times as long."""
    symbol = request.symbol_out
    return RouteRequest(
        request.source, request.destination, request.amount_micro_usd, symbol, symbol
    )
