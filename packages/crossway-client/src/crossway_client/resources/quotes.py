"""Quotes of payments, and bridges with their routes."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from crossway_client.records.quotes import (
    Bridges,
    BridgesOfRoute,
    MultiSourceQuote,
    OptimalRoute,
    Quote,
    RoutesOfBridge,
)
from crossway_client.transport.endpoints import CarrierT, Resource, endpoint
from crossway_client.transport.requests import Request, get, record, records


class Quotes(Resource[CarrierT]):
    """`/quotes`; an `amount` is in the smallest unit of `amount_symbol` (USDC) unless it says
    otherwise."""

    @endpoint
    def multi_source(
        self,
        *,
        destination_chain: str,
        amount: Decimal | str,
        token_out: str,
        recipient: str | None = None,
        exclude_chains: Sequence[str] | None = None,
    ) -> Request[MultiSourceQuote]:
        """Payment options from every chain; `amount` is a decimal number such as `25.50`."""
        query = {
            "destinationChain": destination_chain,
            "amount": amount,
            "tokenOut": token_out,
            "recipient": recipient,
            "excludeChains": exclude_chains or None,
        }
        return Request("GET", "/quotes/multi-source", record(MultiSourceQuote), query=query)

    @endpoint
    def single(
        self,
        bridge: str,
        *,
        token_in: str,
        token_out: str,
        source_chain: str,
        destination_chain: str,
        amount: int,
        amount_symbol: str | None = None,
        recipient: str | None = None,
    ) -> Request[Quote]:
        """The quote of one bridge."""
        query = _route(
            token_in, token_out, source_chain, destination_chain, amount, amount_symbol, recipient
        )
        query["bridge"] = bridge
        return Request("GET", "/quotes/single", record(Quote), query=query)

    @endpoint
    def best(
        self,
        *,
        token_in: str,
        token_out: str,
        source_chain: str,
        destination_chain: str,
        amount: int,
        amount_symbol: str | None = None,
        recipient: str | None = None,
        exclude_bridges: Sequence[str] | None = None,
    ) -> Request[Quote]:
        """The quote of the cheapest bridge. Raises `NotFound` when no bridge serves the route."""
        query = _route(
            token_in, token_out, source_chain, destination_chain, amount, amount_symbol, recipient
        )
        query["excludeBridges"] = exclude_bridges or None
        return Request("GET", "/quotes/best", record(Quote), query=query)

    @endpoint
    def multiple(
        self,
        *,
        token_in: str,
        token_out: str,
        source_chain: str,
        destination_chain: str,
        amount: int,
        amount_symbol: str | None = None,
        recipient: str | None = None,
        exclude_bridges: Sequence[str] | None = None,
    ) -> Request[list[Quote]]:
        """The quotes of every bridge that serves the route, cheapest first."""
        query = _route(
            token_in, token_out, source_chain, destination_chain, amount, amount_symbol, recipient
        )
        query["excludeBridges"] = exclude_bridges or None
        return Request("GET", "/quotes/multiple", records(Quote), query=query)


class Router(Resource[CarrierT]):
    """`/router`."""

    @endpoint
    def bridges(self) -> Request[Bridges]:
        """Every bridge with its routes."""
        return get("/router/supported-bridges/all", record(Bridges))

    @endpoint
    def bridges_between(self, source_chain: str, destination_chain: str) -> Request[BridgesOfRoute]:
        """The bridges that serve a pair of chains now."""
        query = {"sourceChain": source_chain, "destinationChain": destination_chain}
        path = "/router/supported-bridges/route"
        return Request("GET", path, record(BridgesOfRoute), query=query)

    @endpoint
    def routes_of(self, bridge: str) -> Request[RoutesOfBridge]:
        """Every route of one bridge."""
        path = "/router/supported-routes/bridge/{bridge}"
        return get(path, record(RoutesOfBridge), bridge=bridge)

    @endpoint
    def optimal_route(
        self,
        *,
        token_in: str,
        token_out: str,
        source_chain: str,
        destination_chain: str,
        amount: int,
        amount_symbol: str | None = None,
        recipient: str | None = None,
    ) -> Request[OptimalRoute]:
        """The cheapest bridge for a payment, with its quote and what it needs."""
        query = _route(
            token_in, token_out, source_chain, destination_chain, amount, amount_symbol, recipient
        )
        return Request("GET", "/router/optimal-route", record(OptimalRoute), query=query)


def _route(
    token_in: str,
    token_out: str,
    source_chain: str,
    destination_chain: str,
    amount: int,
    amount_symbol: str | None,
    recipient: str | None,
) -> dict[str, Any]:
    return {
        "tokenIn": token_in,
        "tokenOut": token_out,
        "sourceChain": source_chain,
        "destinationChain": destination_chain,
        "amount": amount,
        "amountSymbol": amount_symbol,
        "recipient": recipient,
    }
