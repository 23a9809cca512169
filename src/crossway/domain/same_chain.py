"""The limits of payments within one chain, which no bridge carries."""

from typing import Final

from crossway.domain.money import MICRO_USD_DECIMALS, format_units

# As for payments across chains out of the operator's inventory (adapters/bridges/inventory.toml):
# the payer trusts the operator from the collection of the deposit to the payout.
MIN_MICRO_USD: Final = 10_000
MAX_MICRO_USD: Final = 1_000_000_000_000


def find_limit_problem(amount_micro_usd: int) -> str:
    """Why an amount cannot be paid within one chain, as a sentence; empty where it can."""
    if amount_micro_usd < MIN_MICRO_USD:
        limit, side = MIN_MICRO_USD, "at least"
    elif amount_micro_usd > MAX_MICRO_USD:
        limit, side = MAX_MICRO_USD, "at most"
    else:
        return ""
    return f"a payment within one chain takes {side} {format_units(limit, MICRO_USD_DECIMALS)} USD"
