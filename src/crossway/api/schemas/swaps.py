"""The response model of the swap with which a payment starts."""

from typing import Self

from crossway.api.schemas.fields import USDC_BASE, IntegerString, Model, field, symbol_field
from crossway.domain.swaps import Swap, percent_of_bps

SWAP_TEXT = (
    "The swap with which the start turns the deposit into the token that the bridge carries; null "
    "where it carries the deposited one. A swap that would cost more than the deposit fails, and "
    "the deposit stays refundable; what it does not need goes back to the payer."
)


class SwapOut(Model):
    """The swap of a payment's deposit on the source chain."""

    exchange: str = field("The exchange; a simulated one is named as such.", "Uniswap v3")
    symbol: str = symbol_field("The token that it buys.")
    token: str = field("Its address on the source chain.", USDC_BASE)
    decimals: int = field("Its decimals.", 6)
    output: IntegerString = field("Exactly what it buys, smallest unit of that token.", "25043567")
    input: IntegerString = field(
        "What it is expected to cost, smallest unit of the deposited token.", "9120000000000000"
    )
    impact: str = field("By how many percent it moves the exchange's price.", "0.01")
    cost: IntegerString = field(
        "What is deposited for it beyond the value that it buys, integer micro-USD: the exchange's "
        "fee, the price impact and an allowance. A part of the fees.",
        "42000",
    )

    @classmethod
    def from_swap(cls, swap: Swap | None) -> Self | None:
        """The swap in this form."""
        if swap is None:
            return None
        return cls(
            exchange=swap.exchange,
            symbol=swap.symbol,
            token=swap.token,
            decimals=swap.decimals,
            output=str(swap.output),
            input=str(swap.expected_input),
            impact=percent_of_bps(swap.impact_bps),
            cost=str(swap.cost_micro_usd),
        )
