"""Prices that a scenario moves."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from crossway.domain.money import Price
from crossway.ports.quoting import Prices


@dataclass
class MovingPrices:
    """`ports.quoting.Prices` of a quiet source, times a percentage for each symbol that moved."""

    quiet: Prices
    percent: dict[str, int] = field(default_factory=dict)

    def usd(self, symbols: Collection[str]) -> Mapping[str, Price]:
        """Known prices as they stand after the moves."""
        return {
            symbol: replace(price, pico_usd=price.pico_usd * self.percent.get(symbol, 100) // 100)
            for symbol, price in self.quiet.usd(symbols).items()
        }

    def max_age_seconds(self) -> float | None:
        """As old as those of the quiet source may be."""
        return self.quiet.max_age_seconds()
