"""Prices fit to quote with: known, and not older than their source allows."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from crossway.domain.errors import InvalidInput, QuotesUnavailable, Unreachable
from crossway.domain.money import PICO_USD_DECIMALS
from crossway.domain.pricing import Side
from crossway.ports.services import Services

# USDC means the dollar itself (service.md §2), so it needs no price source.
DOLLAR = {"USDC": 10**PICO_USD_DECIMALS}


@dataclass(frozen=True, slots=True)
class Rates:
    """Pico-USD by symbol; `stale` holds the symbols whose price is too old, with the reason."""

    pico_usd: Mapping[str, int]
    stale: Mapping[str, str]

    def side(self, symbol: str, decimals: int, field: str) -> Side:
        """A token as pricing sees it; refused when there is no price, or only an old one."""
        if symbol in self.stale:
            raise QuotesUnavailable(self.stale[symbol])
        if symbol not in self.pico_usd:
            raise InvalidInput(f"{field}: there is no price for {symbol}")
        return Side(symbol, decimals, self.pico_usd[symbol])


def rates(services: Services, symbols: Collection[str]) -> Rates:
    """The prices of these symbols now. Raises `QuotesUnavailable` when their source is silent."""
    asked = [symbol for symbol in symbols if symbol not in DOLLAR]
    if not asked:
        return Rates(DOLLAR, {})
    try:
        prices = services.prices.usd(asked)
    except Unreachable as error:
        raise QuotesUnavailable(f"No prices: {error}") from error
    most, stale = services.prices.max_age_seconds(), dict[str, str]()
    if most is not None:
        now = services.clock.now()
        for symbol, price in prices.items():
            if (age := (now - price.as_of).total_seconds()) > most:
                stale[symbol] = (
                    f"The price of {symbol} is {age:.0f} s old, {most:.0f} s are allowed"
                )
    fresh = {s: price.pico_usd for s, price in prices.items() if s not in stale}
    return Rates(fresh | DOLLAR, stale)
