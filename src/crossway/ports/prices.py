"""The port of USD prices."""

from collections.abc import Collection, Mapping
from typing import Protocol

from crossway.domain.money import Price


class Prices(Protocol):
    """USD prices by token symbol."""

    def get_usd_prices(self, symbols: Collection[str]) -> Mapping[str, Price]:
        """The known prices; a symbol without a price is absent. Raises `Unreachable`."""
        ...

    def max_age_seconds(self) -> float | None:
        """The age from which a price is too old to quote with; None for fixed prices."""
        ...
