"""Fees and the total to deposit: every figure an integer, every rounding up."""

from dataclasses import dataclass
from typing import Final

from crossway.domain.intent import Costs
from crossway.domain.money import micro_usd_up, rescale_up, share_up, units_for_micro_usd_up

DOLLARS: Final = frozenset({"USDC", "USDT", "DAI", "BUSD", "USDS", "USDG", "USDT0", "AUSD"})


@dataclass(frozen=True, slots=True)
class ServiceFee:
    """The operator's own fee: flat micro-USD plus basis points of the amount (wire.md §3)."""

    flat_micro_usd: int = 10_000
    basis_points: int = 0

    def on(self, amount_micro_usd: int) -> int:
        """The fee on this amount, in micro-USD."""
        return self.flat_micro_usd + share_up(amount_micro_usd, self.basis_points)


@dataclass(frozen=True, slots=True)
class Side:
    """A token as pricing sees it: symbol, decimals, and its price in 10**-12 USD."""

    symbol: str
    decimals: int
    pico_usd: int


def app_fee(amount_micro_usd: int, basis_points: int, cap_micro_usd: int | None) -> int:
    """The client's own fee in micro-USD, under its cap when it has one."""
    fee = share_up(amount_micro_usd, basis_points)
    return fee if cap_micro_usd is None else min(fee, cap_micro_usd)


def slippage_of(asset_symbol: str, amount_symbol: str) -> str:
    """How far, in percent, a price may move on the payer: not at all between dollar stablecoins."""
    same = asset_symbol == amount_symbol
    return "0" if same or {asset_symbol, amount_symbol} <= DOLLARS else "0.5"


def worth(units: int, side: Side) -> int:
    """Micro-USD of an amount, rounded up; USDC means US dollars and has no price (service.md)."""
    if side.symbol == "USDC":
        return rescale_up(units, side.decimals, 6)
    return micro_usd_up(units, side.decimals, side.pico_usd)


def converted(units: int, source: Side, target: Side) -> int:
    """The same worth in another token, rounded up; the same symbol only changes its decimals."""
    if source.symbol == target.symbol:
        return rescale_up(units, source.decimals, target.decimals)
    return for_usd(worth(units, source), target)


def for_usd(micro_usd: int, target: Side) -> int:
    """Units of a token for this many micro-USD, rounded up; USDC counts as the dollar itself."""
    if target.symbol == "USDC":
        return rescale_up(micro_usd, 6, target.decimals)
    return units_for_micro_usd_up(micro_usd, target.decimals, target.pico_usd)


def costs_of(
    amount_units: int,
    amount: Side,
    asset: Side,
    service_micro_usd: int,
    bridge_micro_usd: int,
    app_micro_usd: int,
) -> tuple[Costs, int]:
    """What a payer owes for an amount, and the total to deposit in units of the asset token.

    The parts are rounded up one by one, so that they add up to the total to the unit.
    """
    fees_units = for_usd(service_micro_usd + bridge_micro_usd, asset)
    app_units = for_usd(app_micro_usd, asset)
    costs = Costs(
        amount_micro_usd=worth(amount_units, amount),
        service_micro_usd=service_micro_usd,
        bridge_micro_usd=bridge_micro_usd,
        app_micro_usd=app_micro_usd,
        fees_units=fees_units,
        app_fee_units=app_units,
    )
    return costs, converted(amount_units, amount, asset) + fees_units + app_units
