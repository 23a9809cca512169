"""The repository of the outbox: events for webhooks and event streams, in order by client."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from crossway.domain.clients import Owner
from crossway.domain.webhooks import OutboxEvent


class OutboxRepository(Protocol):
    """Outbox events. Those of intents and orders are stored together with their transitions."""

    def add(self, event: OutboxEvent) -> OutboxEvent:
        """Store an event that no transition creates (its id is assigned)."""
        ...

    def list_unsequenced(
        self, limit: int, clients: Collection[str] | None = None, without: Collection[str] = ()
    ) -> list[OutboxEvent]:
        """Events without a position, of all clients or of some, and not of others, oldest first."""
        ...

    def has_unsequenced(self) -> bool: ...

    def assign_positions(self, events: Sequence[OutboxEvent]) -> None:
        """Give each event the next position of its client, in this order. The caller holds the
        locks of the clients, so that positions of a client become visible in order although
        transactions do not commit in the order of ids."""
        ...

    def last_positions(self, clients: Collection[str]) -> dict[str, int]:
        """The highest position of each client; 0 before the first."""
        ...

    def get_many(
        self, ids: Collection[int], times: Collection[datetime] = ()
    ) -> dict[int, OutboxEvent]:
        """Events by id. `times` are about when they happened, as far as is known: those of then are
        found faster."""
        ...

    def list_after(self, position: int, owner: Owner, until: int, limit: int) -> list[OutboxEvent]:
        """Events of an owner by position: after `position` and up to `until`."""
        ...

    def get_position(self, owner: Owner, event_id: str) -> int | None:
        """The position of an owner's event, None when it has none."""
        ...

    def list_between(
        self, owner: Owner, since: datetime, until: datetime, limit: int
    ) -> list[OutboxEvent]:
        """Events of an owner from `since` and before `until`, oldest first."""
        ...
