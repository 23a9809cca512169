"""What is remembered of who did what, and of what was asked and answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One change or one manual action. `subject` is `kind:id`, such as `client:…` or `intent:12`;
    `before` and `after` are what changed of it, None where there was nothing or it is not told.

    `hash` is over this entry and the hash before it, empty in entries from before there were any.
    """

    id: int
    at: datetime
    who: str
    what: str
    subject: str
    detail: Mapping[str, Any]
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    hash: str


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which entries a list shows; an empty field asks nothing. `start` is included, `end` not."""

    who: str = ""
    what: str = ""
    subject: str = ""
    start: datetime | None = None
    end: datetime | None = None
    before_id: int | None = None


@dataclass(frozen=True, slots=True)
class AskedRequest:
    """One request to the API and its answer; `path` is the route's template.

    `asked` and `answered` are the masked bodies of writes and failures, None of others.
    """

    id: int
    at: datetime
    request_id: str
    method: str
    path: str
    status: int
    microseconds: int
    client_id: str | None
    key_shown: str | None
    asked: str | None
    answered: str | None
    intent_id: int | None = None


@dataclass(frozen=True, slots=True)
class RequestFilter:
    """Which requests a list shows; an empty field asks nothing. `failed` wants 4xx and 5xx.

    `status` below ten wants a class: 4 is 400 to 499. `path_part` is found anywhere in a path.
    """

    client_id: str | None = None
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


class AuditRecords(Protocol):
    """The audit log: entries are added and read, never changed."""

    def page(self, wanted: AuditFilter, limit: int) -> list[AuditEntry]:
        """Newest first."""
        ...

    def chain(self, after_id: int, limit: int) -> list[AuditEntry]:
        """Entries behind a number, oldest first."""
        ...

    def names(self) -> tuple[list[str], list[str]]:
        """Every `who` and every `what` there is, in order."""
        ...

    def expected_hash(self, previous: str, entry: AuditEntry) -> str:
        """The hash that this entry must have behind that of the entry before it."""
        ...


class RequestRecords(Protocol):
    """The request log."""

    def add(self, asked: Sequence[AskedRequest]) -> None:
        """Store requests; their numbers are assigned."""
        ...

    def get(self, number: int) -> AskedRequest | None: ...
    def page(self, wanted: RequestFilter, limit: int) -> list[AskedRequest]:
        """Newest first."""
        ...


class RetentionRecords(Protocol):
    """What may be forgotten once it is old: `requests`, `deliveries` with their attempts,
    `announcements` and `order_reports`."""

    def has_older(self, kind: str, before: datetime) -> bool:
        """Whether the oldest record of a kind is from before an instant."""
        ...

    def forget(self, kind: str, before: datetime, most: int) -> int:
        """Delete those of the oldest so many records of a kind that are from before an instant
        and that nothing depends on; answers how many."""
        ...
