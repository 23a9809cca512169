"""The deposit that a payout over Across takes: the inverse of what relayers and the pool ask."""

from dataclasses import dataclass
from typing import Final

from crossway.adapters.bridges.across.api_schemas import WHOLE, SuggestedFees

_PERCENT: Final = 100


@dataclass(frozen=True, slots=True)
class DepositPrice:
    """What is offered for a payout, with the margin: `share` of the deposit, a fraction of 10**18,
    and `gas`, in units of the token that is paid in. The `deposit` covers them and the payout."""

    share: int
    gas: int
    deposit: int

    def objection(self, fees: SuggestedFees) -> tuple[str, int] | None:
        """The limit that the deposit is beyond, with its words; None where it is within both."""
        for is_beyond, words, limit in (
            (self.deposit < fees.least, "at least", fees.least),
            (self.deposit > fees.most, "at most", fees.most),
        ):
            if is_beyond:
                return words, limit
        return None


def price_deposit(payout: int, fees: SuggestedFees, margin_percent: int) -> DepositPrice | None:
    """The price of a payout, at par in units of the token that is paid in; None where the share
    with the margin is all of any deposit."""

    def with_margin(units: int) -> int:
        return -(-units * (_PERCENT + margin_percent) // _PERCENT)

    share, gas = with_margin(fees.share), with_margin(fees.gas)
    if share >= WHOLE:
        return None
    return DepositPrice(share, gas, -(-(payout + gas) * WHOLE // (WHOLE - share)))
