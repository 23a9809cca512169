"""Fixed prices: the catalogue's reference prices, for the simulated environment."""

from collections.abc import Collection, Mapping
from datetime import datetime

from crossway.domain.money import Price


class FixedPrices:
    """Prices that never change and never become stale; a price of 0 means that there is none."""

    def __init__(self, pico_usd: Mapping[str, int], as_of: datetime) -> None:
        self._prices = {
            symbol: Price(symbol, pico, as_of) for symbol, pico in pico_usd.items() if pico > 0
        }

    def get_usd_prices(self, symbols: Collection[str]) -> Mapping[str, Price]:
        """Known prices; a symbol without one is absent."""
        prices = self._prices
        return {symbol: prices[symbol] for symbol in symbols if symbol in prices}

    def max_age_seconds(self) -> float | None:
        """None: fixed prices do not become stale."""
        return None
