"""The repositories of the audit log and the request log, and the retention of old records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from crossway.domain.clients import OwnerFilter


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One change or manual action. `subject` is `kind:id`, such as `client:…` or `intent:12`.
    `before` and `after` hold the values that changed, None when there are none to show.

    `hash` covers this entry and the hash of the entry before it.
    """

    id: int
    at: datetime
    actor: str
    action: str
    subject: str
    detail: Mapping[str, Any]
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    hash: str
    mac: str = ""


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Filters a list of entries; an empty field matches all. `start` is inclusive, `end` is not."""

    actor: str = ""
    action: str = ""
    subject: str = ""
    start: datetime | None = None
    end: datetime | None = None
    before_id: int | None = None


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """One request to the API and its response; `path` is the route template.

    `request_body` and `response_body` are masked; only writes and failures have them. A request
    without a valid key has no client and no mode.
    """

    id: int
    at: datetime
    request_id: str
    method: str
    path: str
    status: int
    microseconds: int
    client_id: str | None
    key_prefix: str | None
    request_body: str | None
    response_body: str | None
    intent_id: int | None = None
    mode: str | None = None


@dataclass(frozen=True, slots=True)
class RequestFilter(OwnerFilter):
    """Filters a list of requests; an empty field matches all. `failed` matches 4xx and 5xx.

    A `status` below ten is a class: 4 matches 400 to 499. `path_part` matches anywhere in a path.
    Requests without a mode are in the list of either.
    """

    method: str = ""
    path: str = ""
    path_part: str = ""
    request_id: str = ""
    intent_id: int | None = None
    status: int | None = None
    failed: bool = False
    start: datetime | None = None
    end: datetime | None = None
    before_id: int | None = None


class AuditLogRepository(Protocol):
    """The audit log: entries are added and read, never changed."""

    def record(
        self,
        actor: str,
        action: str,
        detail: Mapping[str, Any],
        at: datetime,
        subject: str = "",
        before: Mapping[str, Any] | None = None,
        after: Mapping[str, Any] | None = None,
    ) -> None:
        """Append an entry; see `AuditEntry` for the fields."""
        ...

    def list_recent(self, limit: int) -> list[tuple[datetime, str, str, Mapping[str, Any]]]:
        """(at, actor, action, detail), newest first."""
        ...

    def list_page(self, filter: AuditFilter, limit: int) -> list[AuditEntry]:
        """Newest first."""
        ...

    def list_after(self, after_id: int, limit: int) -> list[AuditEntry]:
        """Entries with a higher id, oldest first."""
        ...

    def list_actors_and_actions(self) -> tuple[list[str], list[str]]:
        """All distinct actors and actions, sorted."""
        ...

    def compute_hash(self, previous: str, entry: AuditEntry) -> str:
        """The hash of an entry that follows one with the hash `previous`."""
        ...

    def is_signed(self, entry: AuditEntry) -> bool:
        """Whether an entry's hash has a signature by one of the current keys."""
        ...

    def has_signature(self) -> bool:
        """Whether any entry has a signature, whoever made it."""
        ...

    def is_empty(self) -> bool: ...


class RequestLogRepository(Protocol):
    """The request log."""

    def add(self, requests: Sequence[LoggedRequest]) -> None:
        """Store requests (their ids are assigned)."""
        ...

    def get(self, number: int) -> LoggedRequest | None: ...
    def list_page(self, filter: RequestFilter, limit: int) -> list[LoggedRequest]:
        """Newest first."""
        ...


class RetentionRepository(Protocol):
    """Records that are deleted once they are old: `requests`, `deliveries` with their attempts,
    `attempts` that were left, `outbox`, `provider_updates` and `erased_usage`.

    Where a database keeps a kind in partitions by time, old ones are dropped, and single records
    are deleted only of the default partition, which has what belongs to no other, and of what is
    older than the first."""

    def has_older(self, kind: str, before: datetime) -> bool:
        """Whether the oldest record of a kind is older than an instant."""
        ...

    def delete_oldest(self, kind: str, before: datetime, limit: int) -> int:
        """Delete those of the oldest `limit` records of a kind that are older than an instant and
        that nothing refers to; returns how many."""
        ...

    def has_partitions(self, kind: str) -> bool:
        """Whether the database keeps a kind in partitions by time."""
        ...

    def add_partitions(self, kind: str, now: datetime, width: timedelta) -> int:
        """Make those partitions that lack from the beginning of today to `width` ahead, each as
        wide in whole days; returns how many. What the default partition has of their times moves.
        Skips those for which that is too much, or for which others would have to be waited for."""
        ...

    def drop_partition(self, kind: str, before: datetime) -> bool:
        """Drop the oldest partition of times before an instant; returns whether there was one. What
        `delete_oldest` would leave moves to the default partition. Skips those of which that is too
        much, and drops nothing if others would have to be waited for."""
        ...
