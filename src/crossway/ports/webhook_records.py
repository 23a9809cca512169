"""Webhooks and their deliveries, as the store takes them and gives them back."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.domain.webhooks import Announcement, Delivery, DeliveryState, Endpoint, Try


@dataclass(frozen=True, slots=True)
class DeliveryFilter:
    """Which deliveries a list shows; an empty field asks nothing. `about` is the kind and the
    number of what they tell of."""

    webhook_id: int | None = None
    client_id: str | None = None
    states: tuple[DeliveryState, ...] = ()
    event: str = ""
    about: tuple[str, int] | None = None
    before_id: int | None = None


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """A delivery to be stored; `line` is empty for one that goes at once, whatever waits."""

    webhook_id: int
    announcement_id: int
    line: str
    at: datetime
    replay_of: int | None = None


@dataclass(frozen=True, slots=True)
class Backlog:
    """What is still to be delivered: how many, and since when the oldest is due."""

    due: int
    waiting: int
    oldest: datetime | None


class WebhookRecords(Protocol):
    """Endpoints."""

    def add(self, endpoint: Endpoint) -> Endpoint:
        """Store a new endpoint (its id is assigned)."""
        ...

    def get(self, webhook_id: int) -> Endpoint | None: ...
    def of(self, ids: Collection[int]) -> dict[int, Endpoint]: ...
    def of_client(self, client_id: str | None) -> list[Endpoint]:
        """Those of a client, or of all, oldest first."""
        ...

    def lock(self, ids: Collection[int]) -> dict[int, Endpoint]:
        """The endpoints as they stand, held until the unit of work ends."""
        ...

    def lock_of_clients(self, clients: Collection[str]) -> list[Endpoint]:
        """The enabled endpoints of these clients, held until the unit of work ends."""
        ...

    def change(self, endpoint: Endpoint) -> None: ...
    def remove(self, webhook_id: int) -> None:
        """Forget an endpoint with its deliveries."""
        ...


class DeliveryRecords(Protocol):
    """Deliveries. Who adds them or ends them holds the lock of their endpoints."""

    def add(self, new: Sequence[NewDelivery]) -> None:
        """Store deliveries, each behind those of its line that are open."""
        ...

    def add_one(self, new: NewDelivery) -> Delivery: ...

    def get(self, delivery_id: int) -> Delivery | None: ...
    def page(self, wanted: DeliveryFilter, limit: int) -> list[tuple[Delivery, Announcement]]:
        """Newest first."""
        ...

    def tries(self, delivery_id: int) -> list[Try]: ...

    def outcomes(self, webhook_id: int, since: datetime, most: int) -> dict[DeliveryState, int]:
        """How many of an endpoint's newest deliveries, so many of them at most, came to stand
        where they stand at an instant or later."""
        ...

    def due(self, now: datetime, machine: datetime) -> list[int]:
        """Ids of the enabled endpoints that something can be sent to now."""
        ...

    def claim(
        self, rooms: Mapping[int, int], now: datetime, machine: datetime, until: datetime
    ) -> list[Delivery]:
        """For each endpoint as many due deliveries as it has room for, oldest first, leased until
        an instant of the machine's clock: nobody else gets them before (SKIP LOCKED)."""
        ...

    def give_back(self, ids: Collection[int]) -> None:
        """End leases of what was not sent."""
        ...

    def take_over(self) -> None:
        """End every lease."""
        ...

    def lock_due(self, ids: Collection[int]) -> dict[int, Delivery]:
        """Those of the deliveries that still are DUE, held until the unit of work ends."""
        ...

    def settle(self, after: Sequence[Delivery], tries: Sequence[Try]) -> None:
        """Store what became of deliveries and the tries themselves; where one ended, the next of
        its line is due."""
        ...

    def hurry(self, delivery_id: int, at: datetime) -> None:
        """Let a DUE delivery be due at an instant."""
        ...

    def still_open(self, webhook_id: int) -> set[int]:
        """The announcements that an endpoint is still to be told of."""
        ...

    def fail_open(self, webhook_id: int, error: str, at: datetime) -> int:
        """Let everything open of an endpoint fail; answers how many."""
        ...

    def backlog(self) -> Backlog: ...
