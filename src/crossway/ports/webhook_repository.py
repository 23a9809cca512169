"""The repositories of webhook endpoints and deliveries."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.domain.clients import Owner, OwnerFilter
from crossway.domain.webhooks import Delivery, DeliveryAttempt, DeliveryState, Endpoint, OutboxEvent


@dataclass(frozen=True, slots=True)
class DeliveryFilter(OwnerFilter):
    """Filters a list of deliveries by the owner of their webhook and more; an empty field matches
    all. `about` is the kind and id of the resource of the event. Deliveries were created from
    `start`, included, to `end`, excluded. They are listed newest first and behind `before_id`, or
    `oldest_first` and behind `after_id`; within a period in the order of these times unless
    `by_number`."""

    webhook_id: int | None = None
    states: tuple[DeliveryState, ...] = ()
    event: str = ""
    about: tuple[str, int] | None = None
    start: datetime | None = None
    end: datetime | None = None
    before_id: int | None = None
    after_id: int | None = None
    oldest_first: bool = False
    by_number: bool = False

    @property
    def by_time(self) -> bool:
        """Whether the list is in the order of creation times."""
        return not self.by_number and (self.start is not None or self.end is not None)


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """A delivery to store. Deliveries with the same `sequence_key` are sent one after the other;
    one without a key is sent at once."""

    webhook_id: int
    event_id: int
    sequence_key: str
    at: datetime
    replay_of: int | None = None


@dataclass(frozen=True, slots=True)
class MissedFilter:
    """Whose missed events are meant: an endpoint with its owner and subscriptions (`*` is all), and
    since when it has those that it did not have from the start. Events before `oldest` are left
    out, and, with `among`, all whose id is not listed."""

    webhook_id: int
    owner: Owner
    events: tuple[str, ...]
    since: Mapping[str, datetime]
    oldest: datetime
    among: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class DeliveryBacklog:
    """Open deliveries: how many are due, how many wait, and since when the oldest is due."""

    due: int
    waiting: int
    oldest: datetime | None


class WebhookRepository(Protocol):
    """Webhook endpoints."""

    def add(self, endpoint: Endpoint) -> Endpoint:
        """Store a new endpoint (its id is assigned)."""
        ...

    def get(self, webhook_id: int) -> Endpoint | None: ...
    def get_many(self, ids: Collection[int]) -> dict[int, Endpoint]: ...
    def list_by_owner(self, owners: OwnerFilter) -> list[Endpoint]:
        """Oldest first."""
        ...

    def lock(self, ids: Collection[int]) -> dict[int, Endpoint]:
        """The current endpoints, locked until the unit of work ends."""
        ...

    def lock_enabled_by_clients(self, clients: Collection[str]) -> list[Endpoint]:
        """The enabled endpoints of these clients, locked until the unit of work ends."""
        ...

    def update(self, endpoint: Endpoint) -> None: ...
    def delete(self, webhook_id: int) -> None:
        """Delete an endpoint with its deliveries."""
        ...


class DeliveryRepository(Protocol):
    """Deliveries. Callers that add or end them hold the lock of their endpoints."""

    def add_many(self, new: Sequence[NewDelivery]) -> None:
        """Store deliveries; one waits while another of its sequence is open."""
        ...

    def add(self, new: NewDelivery) -> Delivery: ...

    def get(self, delivery_id: int) -> Delivery | None: ...
    def list_page(self, filter: DeliveryFilter, limit: int) -> list[tuple[Delivery, OutboxEvent]]:
        """In the order of the filter."""
        ...

    def list_attempts(self, delivery_id: int) -> list[DeliveryAttempt]: ...

    def count_recent_by_state(
        self, webhook_id: int, since: datetime, limit: int
    ) -> dict[DeliveryState, int]:
        """Counts by state of an endpoint's newest `limit` deliveries that changed since an
        instant."""
        ...

    def list_due_endpoints(self, now: datetime, machine_time: datetime) -> list[int]:
        """Ids of enabled endpoints with a delivery that can be sent now."""
        ...

    def lease_due(
        self, limits: Mapping[int, int], now: datetime, machine_time: datetime, until: datetime
    ) -> list[Delivery]:
        """Lease up to `limits[endpoint]` due deliveries of each endpoint, oldest first, until an
        instant of the machine's clock (SKIP LOCKED)."""
        ...

    def release_leases(self, ids: Collection[int]) -> None:
        """Release the leases of deliveries that were not sent."""
        ...

    def end_all_leases(self) -> None:
        """End every lease."""
        ...

    def lock_due(self, sent: Collection[Delivery]) -> dict[int, Delivery]:
        """Those of these deliveries that still are DUE, by id, as they are now; locked until the
        unit of work ends."""
        ...

    def save_results(
        self, results: Sequence[Delivery], attempts: Sequence[DeliveryAttempt]
    ) -> None:
        """Store results and attempts; when a delivery ended, the next of its sequence is due."""
        ...

    def reset_backoff(self, delivery_id: int, at: datetime) -> None:
        """Set when a DUE delivery is sent next."""
        ...

    def find_open(self, webhook_id: int, event_id: int) -> Delivery | None:
        """The delivery by which an event is still to be delivered to an endpoint."""
        ...

    def list_open_event_ids(self, webhook_id: int) -> set[int]:
        """The ids of the events that are still to be delivered to an endpoint."""
        ...

    def list_newest_of_intents(
        self, owners: OwnerFilter, intent_ids: Collection[int], limit: int
    ) -> dict[int, list[tuple[Delivery, OutboxEvent]]]:
        """By intent, the newest `limit` deliveries of its events to the owner's webhooks, newest
        first; intents without one are left out."""
        ...

    def list_missed(self, missed: MissedFilter, limit: int) -> list[tuple[int, str]]:
        """The id and sequence key of each event since the first one that failed for this endpoint
        which was never delivered to it and is not queued for it; oldest first. Events from before
        the endpoint subscribed to their type count only if they failed. Only the newest `limit`
        deliveries are searched for the first failure."""
        ...

    def count_batch_by_state(
        self, webhook_id: int, prefix: str, limit: int
    ) -> dict[DeliveryState, int]:
        """Counts by state of those of an endpoint's newest `limit` deliveries whose sequence key
        has a prefix."""
        ...

    def fail_all_open(self, webhook_id: int, error: str, at: datetime) -> int:
        """Fail every open delivery of an endpoint; returns how many."""
        ...

    def get_backlog(self) -> DeliveryBacklog: ...
