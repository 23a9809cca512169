"""Quotes of payments."""

from collections.abc import Sequence

from crossway.client.records import MultiSourceQuote, Quote
from crossway.client.transport import Transport


class Quotes:
    """`/quotes`."""

    def __init__(self, calls: Transport) -> None:
        self._calls = calls

    def multi_source(
        self,
        *,
        destination_chain: str,
        amount: str,
        token_out: str,
        recipient: str | None = None,
        exclude_chains: Sequence[str] | None = None,
    ) -> MultiSourceQuote:
        """Payment options from every chain; `amount` is a decimal number such as `25.50`."""
        response = self._calls.get(
            "/quotes/multi-source",
            destinationChain=destination_chain,
            amount=amount,
            tokenOut=token_out,
            recipient=recipient,
            excludeChains=exclude_chains or None,
        )
        return MultiSourceQuote.parse(response)

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
    ) -> Quote:
        """The quote of one bridge; `amount` is in the smallest unit of `amount_symbol` (USDC)."""
        route = _route(
            token_in, token_out, source_chain, destination_chain, amount, amount_symbol, recipient
        )
        return Quote.parse(self._calls.get("/quotes/single", bridge=bridge, **route))

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
    ) -> Quote:
        """The quote of the cheapest bridge. Raises `NotFound` when no bridge serves the route."""
        route = _route(
            token_in, token_out, source_chain, destination_chain, amount, amount_symbol, recipient
        )
        excluded = exclude_bridges or None
        return Quote.parse(self._calls.get("/quotes/best", excludeBridges=excluded, **route))

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
    ) -> list[Quote]:
        """The quotes of every bridge that serves the route, cheapest first."""
        route = _route(
            token_in, token_out, source_chain, destination_chain, amount, amount_symbol, recipient
        )
        excluded = exclude_bridges or None
        response = self._calls.get("/quotes/multiple", excludeBridges=excluded, **route)
        return [Quote.parse(item) for item in response]


def _route(
    token_in: str,
    token_out: str,
    source_chain: str,
    destination_chain: str,
    amount: int,
    amount_symbol: str | None,
    recipient: str | None,
) -> dict[str, str | int | None]:
    return {
        "tokenIn": token_in,
        "tokenOut": token_out,
        "sourceChain": source_chain,
        "destinationChain": destination_chain,
        "amount": amount,
        "amountSymbol": amount_symbol,
        "recipient": recipient,
    }
