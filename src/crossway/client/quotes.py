"""What a payment costs, through the API."""

from collections.abc import Sequence

from crossway.client.calls import Calls
from crossway.client.records import MultiSourceQuote, Quote


class Quotes:
    """`/quotes`."""

    def __init__(self, calls: Calls) -> None:
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
        """Ways to pay from every chain; `amount` as people write it, such as `25.50`."""
        found = self._calls.get(
            "/quotes/multi-source", destinationChain=destination_chain, amount=amount,
            tokenOut=token_out, recipient=recipient, excludeChains=exclude_chains or None,
        )  # fmt: skip
        return MultiSourceQuote.model_validate(found)

    def single(self, bridge: str, **route: str | int | None) -> Quote:
        """What one bridge asks; the rest as for `best`."""
        return Quote.model_validate(self._calls.get("/quotes/single", bridge=bridge, **route))

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
        """The cheapest bridge's quote; `amount` in the smallest unit of `amount_symbol` (USDC)."""
        found = self._calls.get(
            "/quotes/best", tokenIn=token_in, tokenOut=token_out, sourceChain=source_chain,
            destinationChain=destination_chain, amount=amount, amountSymbol=amount_symbol,
            recipient=recipient, excludeBridges=exclude_bridges or None,
        )  # fmt: skip
        return Quote.model_validate(found)
