"""Token prices that a scenario can change."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from crossway.domain.money import Price
from crossway.ports.prices import Prices


@dataclass
class MovingPrices:
    """`ports.prices.Prices` of another source, times a percentage per symbol."""

    source: Prices
    percent: dict[str, int] = field(default_factory=dict)

    def get_usd_prices(self, symbols: Collection[str]) -> Mapping[str, Price]:
        """The source's prices times the percentages."""
        return {
            symbol: replace(price, pico_usd=price.pico_usd * self.percent.get(symbol, 100) // 100)
            for symbol, price in self.source.get_usd_prices(symbols).items()
        }

    def max_age_seconds(self) -> float | None:
        """The maximum age of the source's prices."""
        return self.source.max_age_seconds()
