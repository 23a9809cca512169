"""Fees and deposit amounts: integers only, every rounding up."""

from dataclasses import dataclass

from crossway.domain.costs import Costs
from crossway.domain.money import micro_usd_up, rescale_up, share_up, units_for_micro_usd_up


@dataclass(frozen=True, slots=True)
class ServiceFee:
    """The operator's fee: flat micro-USD plus basis points of the amount."""

    flat_micro_usd: int = 10_000
    basis_points: int = 0

    def calculate(self, amount_micro_usd: int) -> int:
        """The fee on an amount, in micro-USD."""
        return self.flat_micro_usd + share_up(amount_micro_usd, self.basis_points)


@dataclass(frozen=True, slots=True)
class PricedToken:
    """A token with the price used for a quote, in 10**-12 USD."""

    symbol: str
    decimals: int
    pico_usd: int


def usd_value(units: int, token: PricedToken) -> int:
    """The value of an amount in micro-USD, rounded up."""
    return micro_usd_up(units, token.decimals, token.pico_usd)


def convert(units: int, source: PricedToken, target: PricedToken) -> int:
    """Convert an amount to another token, rounded up; equal symbols only change decimals."""
    if source.symbol == target.symbol:
        return rescale_up(units, source.decimals, target.decimals)
    return amount_for_usd(usd_value(units, source), target)


def amount_for_usd(micro_usd: int, target: PricedToken) -> int:
    """The amount of a token for this many micro-USD, rounded up."""
    return units_for_micro_usd_up(micro_usd, target.decimals, target.pico_usd)


def calculate_costs(
    amount: int,
    amount_token: PricedToken,
    asset_token: PricedToken,
    service_micro_usd: int,
    bridge_micro_usd: int,
    app_micro_usd: int,
    network_micro_usd: int,
) -> tuple[Costs, int]:
    """The payer's costs for an amount, and the deposit amount in units of the asset token.

    `network_micro_usd` are the network costs that the fees of bridge and service pay for.
    Each part is rounded up on its own, so that the parts sum to the total exactly.
    """
    fees_units = amount_for_usd(service_micro_usd + bridge_micro_usd, asset_token)
    app_units = amount_for_usd(app_micro_usd, asset_token)
    costs = Costs(
        amount_micro_usd=usd_value(amount, amount_token),
        service_micro_usd=service_micro_usd,
        bridge_micro_usd=bridge_micro_usd,
        app_micro_usd=app_micro_usd,
        fees_units=fees_units,
        app_fee_units=app_units,
        network_fee_units=amount_for_usd(network_micro_usd, asset_token),
    )
    return costs, convert(amount, amount_token, asset_token) + fees_units + app_units
