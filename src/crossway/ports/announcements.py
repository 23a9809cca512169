"""What is told to the outside, as the store takes it and gives it back in one order."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from crossway.domain.webhooks import Announcement


class AnnouncementRecords(Protocol):
    """Announcements. Those of intents and orders are stored by whoever stores their moves."""

    def add(self, one: Announcement) -> Announcement:
        """Store one that no move makes; its id is assigned."""
        ...

    def new(self, limit: int) -> list[Announcement]:
        """Those without a place in the order yet, oldest first."""
        ...

    def any_new(self) -> bool: ...

    def put_in_order(self, ids: Sequence[int]) -> None:
        """Give each the next place. Only one at a time may do this: whoever reads by places then
        misses none, though transactions end in another order than they began."""
        ...

    def last(self) -> int:
        """The last place that was given; 0 before the first."""
        ...

    def of(self, ids: Collection[int]) -> dict[int, Announcement]: ...

    def after(
        self, position: int, clients: Collection[str], until: int, limit: int
    ) -> list[Announcement]:
        """Of these clients, in order, in places after one and not beyond another."""
        ...

    def position_of(self, client_id: str, event_id: str) -> int | None:
        """The place of a client's event, None when it has none."""
        ...

    def between(
        self, client_id: str, since: datetime, until: datetime, limit: int
    ) -> list[Announcement]:
        """A client's, from an instant on and before another, oldest first."""
        ...
