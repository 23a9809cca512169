"""What prices do to a payment of fixed terms: assets, pegs, volatility and the spread."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isqrt
from typing import Final

from crossway.domain.money import Price

MILLIONTHS: Final = 10**6
DAY_SECONDS: Final = 86_400
_MILLIONTHS_PER_BP: Final = 100
_PERCENT: Final = 100


@dataclass(frozen=True, slots=True)
class PriceRisk:
    """How a token's price moves. Tokens of one `asset` are claims on the same thing.

    `daily_bps` is the standard deviation of a day's change in basis points. `peg_pico_usd` is what
    the issuer redeems a stablecoin at; None for any other token.
    """

    asset: str
    daily_bps: int = 0
    peg_pico_usd: int | None = None


@dataclass(frozen=True, slots=True)
class PricePolicy:
    """When prices are good enough, and what a fixed price costs.

    A stablecoin more than `peg_band_bps` from its peg, and a price that is less certain than
    `max_confidence_bps`, are neither quoted nor started. `option_percent` of the expected move
    over an intent's life is the spread: 40 is the value of the option that fixed terms give the
    payer (an at-the-money option is worth 0.4 of a standard deviation). `exposure_micro_usd` is
    the limit of open payments that gain or lose by one token's price; None for none.
    """

    peg_band_bps: int = 200
    max_confidence_bps: int = 100
    option_percent: int = 40
    exposure_micro_usd: int | None = 100_000_000_000


def risk_of(risks: Mapping[str, PriceRisk], symbol: str) -> PriceRisk:
    """The risk of a symbol; one without data is an asset of its own, which does not move."""
    return risks.get(symbol) or PriceRisk(symbol)


def is_same_asset(risks: Mapping[str, PriceRisk], symbol: str, other: str) -> bool:
    """Whether two tokens are claims on the same thing, so that no price lies between them."""
    return risk_of(risks, symbol).asset == risk_of(risks, other).asset


def spread_millionths(
    policy: PricePolicy, deposited: PriceRisk, paid_out: PriceRisk, life_seconds: int
) -> int:
    """The part by which the deposited token is taken below its price, in millionths.

    The moves of the two tokens are taken as independent, and grow with the root of the time.
    """
    if deposited.asset == paid_out.asset:
        return 0
    daily_variance = deposited.daily_bps**2 + paid_out.daily_bps**2
    move = isqrt(daily_variance * _MILLIONTHS_PER_BP**2 * life_seconds // DAY_SECONDS)
    return min(move * policy.option_percent // _PERCENT, MILLIONTHS // 2)


def price_after_spread(pico_usd: int, millionths: int) -> int:
    """A price less a spread, rounded down."""
    return pico_usd * (MILLIONTHS - millionths) // MILLIONTHS


def price_refusal(policy: PricePolicy, price: Price, risk: PriceRisk) -> str:
    """Why a price must not be used, as a sentence that stays the same while it lasts; empty if it
    may be used. Its age is not looked at."""
    if price.confidence_pico_usd * 10_000 > price.pico_usd * policy.max_confidence_bps:
        limit = policy.max_confidence_bps / 100
        return f"The price of {price.symbol} is less certain than {limit:g}%."
    peg = risk.peg_pico_usd
    if peg is not None and abs(price.pico_usd - peg) * 10_000 > peg * policy.peg_band_bps:
        return f"{price.symbol} is off its peg by more than {policy.peg_band_bps / 100:g}%."
    return ""
