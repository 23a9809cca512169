"""The ports a quote is made through: prices and bridges."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from crossway.domain.money import Price
from crossway.domain.quotes import BridgeName, Leg, NoOffer, Offer, Route


class Prices(Protocol):
    """USD prices by symbol."""

    def usd(self, symbols: Collection[str]) -> Mapping[str, Price]:
        """Known prices; a symbol without one is absent. Raises `Unreachable`."""
        ...

    def max_age_seconds(self) -> float | None:
        """A price older than this refuses to quote; None where prices are fixed by choice."""
        ...


class Bridge(Protocol):
    """A way between chains with its own price.

    `at_once`: it prices from what it holds in memory and never waits for anybody, so it is asked
    in the thread of whoever asks, with no deadline.
    """

    name: BridgeName
    at_once: bool

    def routes(self) -> Sequence[Route]:
        """Every pair of chains it serves."""
        ...

    def offers(self, legs: Sequence[Leg], now: datetime) -> Sequence[Offer | NoOffer]:
        """One answer a leg, in order. Raises `Unreachable`."""
        ...
