"""Exports: lists that are written to a file in the background, and how far that has come."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from crossway.domain.clients import Mode


class ExportState(StrEnum):
    """PENDING: nobody has begun it; RUNNING: it is being written, or carried on by another process
    after the first one died; COMPLETED: the file is there; FAILED: `error` says why."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"


class ExportResource(StrEnum):
    """The lists that can be exported."""

    INTENTS = "intents"
    RAMP_ORDERS = "ramp_orders"
    DELIVERIES = "deliveries"


class ExportFormat(StrEnum):
    """The formats of the file."""

    CSV = "csv"
    JSON = "json"


OPEN_EXPORT_STATES = frozenset({ExportState.PENDING, ExportState.RUNNING})


@dataclass(frozen=True, slots=True)
class Export:
    """One export of an owner's records that match `filters`, newest first.

    It has the records with numbers below `before_id`, which is fixed at its creation, and none
    below `lowest_id`; those down to `place` are written, as `rows` rows in `chunk_count` chunks of
    `byte_count` bytes in all. `expires_at` is when the file is deleted, None before it ends;
    `leased_until` (the machine's time) is when another process may carry it on.
    """

    id: int
    client_id: str
    mode: Mode
    resource: ExportResource
    format: ExportFormat
    filters: Mapping[str, str]
    state: ExportState
    before_id: int
    lowest_id: int
    place: int
    rows: int
    chunk_count: int
    byte_count: int
    attempt_count: int
    error: str
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    leased_until: datetime

    def has_expired(self, now: datetime) -> bool:
        """Whether it is over, and deleted soon if it is not yet."""
        return self.expires_at is not None and now >= self.expires_at

    @property
    def progress_percent(self) -> int:
        """How much of the range of numbers is written, from 0 to 100."""
        if self.state is ExportState.COMPLETED:
            return 100
        all_numbers = max(1, self.before_id - self.lowest_id)
        return min(99, 100 * (self.before_id - self.place) // all_numbers)
