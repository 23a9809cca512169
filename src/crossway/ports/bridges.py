"""The port of a bridge: its routes and its quotes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from crossway.domain.quotes import BridgeName, BridgeQuote, QuoteRejected, Route, RouteRequest


class Bridge(Protocol):
    """One bridge with its own pricing.

    `runs_in_process`: the bridge prices from memory and never waits for a network call, so it is
    called in the caller's thread, without a deadline.
    """

    name: BridgeName
    runs_in_process: bool

    def routes(self) -> Sequence[Route]:
        """Every pair of chains that it serves."""
        ...

    def get_quotes(
        self, requests: Sequence[RouteRequest], now: datetime
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        """One answer for each request, in order. Raises `Unreachable`."""
        ...
