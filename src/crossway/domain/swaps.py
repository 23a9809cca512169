"""Swaps: the exchange of a payer's token for the one that a bridge carries, by the start."""

from dataclasses import dataclass
from typing import Final

BPS_IN_WHOLE: Final = 10_000
ALLOWANCE_BPS: Final = 10
"""By how much a swap may always cost more than expected, in basis points: pools move a little even
between dollars. What is not needed of it goes back to the payer."""
_PERCENT_PLACES: Final = 2


@dataclass(frozen=True, slots=True)
class Swap:
    """The swap of an intent, fixed at creation.

    The start buys exactly `output` units of `token`, which the bridge carries, with at most the
    deposit; what it does not need of that goes back to the payer. `expected_input` is what it
    cost when it was quoted, in units of the deposited token, and `impact_bps` how much of that
    price is its own doing. `cost_micro_usd` is what is deposited for it beyond the value that it
    buys, the allowance included. `route` is what the contract is told of the way, in hex. The fees
    are those of `Costs`, in units of `token`.
    """

    exchange: str
    symbol: str
    token: str
    decimals: int
    output: int
    expected_input: int
    impact_bps: int
    cost_micro_usd: int
    route: str
    fees_units: int
    app_fee_units: int
    network_fee_units: int


@dataclass(frozen=True, slots=True)
class SwapQuote:
    """What an exchange asks for a swap on one chain. `cost_bps` is what it takes, its fee and the
    price impact together, and `impact_bps` the price impact alone; `route` as in `Swap`."""

    exchange: str
    cost_bps: int
    impact_bps: int
    route: str = "0x"

    def cost_of(self, micro_usd: int) -> int:
        """What is deposited for the swap beyond the value that it buys, in micro-USD and rounded
        up: its cost, and the allowance for prices that move."""
        bps = self.cost_bps + ALLOWANCE_BPS
        return -(-micro_usd * bps // (BPS_IN_WHOLE - bps))


def percent_of_bps(basis_points: int) -> str:
    """Basis points as a percentage, such as `0.5`."""
    whole, rest = divmod(basis_points, 100)
    return f"{whole}.{rest:0{_PERCENT_PLACES}d}".rstrip("0").rstrip(".")


def expected_input(deposit_amount: int, slippage_bps: int) -> int:
    """What a swap is expected to cost of a deposit that allows for this much slippage."""
    return deposit_amount * BPS_IN_WHOLE // (BPS_IN_WHOLE + slippage_bps)
