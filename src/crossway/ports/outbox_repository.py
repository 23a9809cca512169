"""The repository of the outbox: events for webhooks and event streams, in one order."""

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

    def list_unsequenced(self, limit: int) -> list[OutboxEvent]:
        """Events without a position, oldest first."""
        ...

    def has_unsequenced(self) -> bool: ...

    def assign_positions(self, ids: Sequence[int]) -> None:
        """Give each event the next position. The caller holds a lock, so that positions become
        visible in order although transactions do not commit in the order of ids."""
        ...

    def last_position(self) -> int:
        """The highest position; 0 before the first."""
        ...

    def get_many(self, ids: Collection[int]) -> dict[int, OutboxEvent]: ...

    def list_after(
        self, position: int, owners: Collection[Owner], until: int, limit: int
    ) -> list[OutboxEvent]:
        """Events of these owners by position: after `position` and up to `until`."""
        ...

    def get_position(self, owner: Owner, event_id: str) -> int | None:
        """The position of an owner's event, None when it has none."""
        ...

    def list_between(
        self, owner: Owner, since: datetime, until: datetime, limit: int
    ) -> list[OutboxEvent]:
        """Events of an owner from `since` and before `until`, oldest first."""
        ...
