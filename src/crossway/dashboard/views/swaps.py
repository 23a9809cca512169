"""The swap with which a payment starts, as texts."""

from crossway.dashboard.views.cells import Cell
from crossway.dashboard.views.formatting import format_amount
from crossway.domain.swaps import Swap, percent_of_bps

SWAP = "Swap at the start"
SWAP_HINT = "The bridge does not carry the payer's token, so the start exchanges it first"


def swap_cell(swap: Swap, symbol: str, decimals: int, slippage: str) -> Cell:
    """What is bought and where, and what it may cost."""
    bought = format_amount(swap.output, swap.decimals, swap.symbol)
    expected = format_amount(swap.expected_input, decimals, symbol)
    return Cell(
        f"{symbol} for {bought}, {swap.exchange}",
        sub=(
            f"expected to cost {expected}, at most {slippage}% more; price impact "
            f"{percent_of_bps(swap.impact_bps)}%. What is not needed goes back to the payer"
        ),
    )
