"""The repository of exports and the chunks of their files."""

from datetime import datetime
from typing import Protocol

from crossway.domain.clients import OwnerFilter
from crossway.domain.exports import Export


class ExportRepository(Protocol):
    """Exports; a file is stored as encrypted chunks, numbered from 0."""

    def add(self, export: Export) -> Export:
        """Store a new export (its id is assigned)."""
        ...

    def get(self, export_id: int) -> Export | None: ...
    def list_by_owner(self, owners: OwnerFilter) -> list[Export]:
        """Newest first."""
        ...

    def has_due(self, now: datetime, machine_time: datetime) -> bool:
        """Whether an export has expired, or is open and no other process has it. Cheap."""
        ...

    def lease_next(self, now: datetime, until: datetime) -> Export | None:
        """The open export that has waited longest for its turn, of those that no other process
        has, as RUNNING and leased until then; both are times of the machine."""
        ...

    def save(self, before: Export, after: Export, chunk: bytes | None = None) -> bool:
        """Store what changed, with the next chunk if there is one; returns False, and stores
        nothing, when the export is not at `before` any more, or was deleted."""
        ...

    def get_chunk(self, export_id: int, number: int) -> bytes | None: ...
    def delete(self, export_id: int) -> None:
        """Delete an export with its file."""
        ...

    def delete_expired(self, now: datetime, limit: int) -> int:
        """Delete at most `limit` exports that have expired; returns how many."""
        ...
