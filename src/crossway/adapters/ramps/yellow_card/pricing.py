"""What an order costs at Yellow Card: its rate, its service fee, and the network's own."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from crossway.adapters.ramps.exact import down, up
from crossway.adapters.ramps.yellow_card.requests import TITLE
from crossway.adapters.ramps.yellow_card.wire import ServiceFee
from crossway.domain.ramps import Direction
from crossway.ports.ramps import Ask, ProviderRefused

HUNDRED_PERCENT = 100


def cost_of(ask: Ask, rate: Fraction, fee: ServiceFee, names: Mapping[str, Any]) -> tuple[int, int]:
    """The fiat amount in whole units of the currency, and the fees in minor units inside it.

    The network's fee is not told before an order is made, so an allowance for it is in an on-ramp.
    Raises `ProviderRefused`.
    """
    if Fraction(fee.fee_percentage) >= HUNDRED_PERCENT:
        raise ProviderRefused(f"{TITLE} would keep the whole amount")
    worth = rate * Fraction(ask.units, 10**ask.token.decimals)
    least, part = Fraction(fee.min_fee_local), Fraction(fee.fee_percentage) / HUNDRED_PERCENT
    flat, digits = Fraction(fee.flat_fee_local), ask.currency.digits
    if ask.direction is Direction.OFF:
        whole = down(worth - max(least, part * worth) - flat, 0)
        return whole, up(worth - whole, digits)
    base = worth + rate * Fraction(names["network_fee_usd"].get(ask.token.chain, "0")) + flat
    # The service fee is a part of the whole amount, and at least so much.
    whole = up(max(base + least, base / (1 - part)), 0)
    return whole, up(whole - worth, digits)
