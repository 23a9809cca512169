"""The repository of prices by the hour and of the daily results counted with them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from crossway.domain.ledger import Posting
from crossway.domain.profit_and_loss import Result
from crossway.ports.treasury_repository import StoredPosting

HourlyPrices = Mapping[tuple[int, str], int]
"""Prices in pico-USD of whole tokens, by hour since 1970 and symbol."""


class ProfitRepository(Protocol):
    """Prices of the ledger by the hour, and what was counted with them by day."""

    def has_prices(self, hour: int) -> bool:
        """Whether prices of an hour since 1970 were recorded."""
        ...

    def record_prices(self, hour: int, pico_usd: Mapping[str, int]) -> None:
        """Record an hour's prices by symbol; those that were recorded before stay."""
        ...

    def get_prices(self, hours: Collection[int]) -> HourlyPrices: ...

    def counted_to(self) -> int:
        """The id of the newest posting that is counted; 0 before the first."""
        ...

    def list_uncounted(self, last_id: int, limit: int) -> list[StoredPosting]:
        """The oldest postings that are not counted, up to an id, by id."""
        ...

    def list_of_owners(self, owners: Collection[int]) -> dict[int, list[Posting]]:
        """The postings of payments and rebalancing transfers by their numbers, by id, without
        arrivals at deposit addresses."""
        ...

    def add(self, results: Sequence[Result], before: int, after: int) -> bool:
        """Add to the daily results what the postings with ids after `before`, up to `after`, came
        to; False where others have counted meanwhile."""
        ...

    def list_days(self, first: int, last: int) -> list[Result]:
        """The results of a range of days since 1970, both ends included."""
        ...
