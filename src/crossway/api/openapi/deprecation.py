"""The mark of a deprecated operation: what the document says of it, and the headers it sends."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Final, TypeVar

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from crossway.api.openapi.schemas import Node, reference

# How long an operation works after it was deprecated, at least.
NOTICE: Final = timedelta(days=365)
HEADERS: Final[dict[str, Node]] = {
    "Deprecation": {
        "description": "Since when this is deprecated: `@` and seconds since 1970 (RFC 9745).",
        "schema": {"type": "string"},
        "example": "@1798761600",
    },
    "Sunset": {
        "description": "When this ends (RFC 8594).",
        "schema": {"type": "string"},
        "example": "Sat, 01 Jan 2028 00:00:00 GMT",
    },
}
Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Deprecation:
    """Since when an operation is deprecated, when it ends, and the operation to use `instead`."""

    since: date
    ends: date
    instead: str

    def headers(self) -> list[tuple[bytes, bytes]]:
        """The headers `Deprecation` and `Sunset`."""
        ends = format_datetime(_midnight(self.ends), usegmt=True)
        since = f"@{int(_midnight(self.since).timestamp())}"
        return [(b"deprecation", since.encode()), (b"sunset", ends.encode())]


def deprecated(since: date, ends: date, instead: str) -> Callable[[Endpoint], Endpoint]:
    """A decorator of an endpoint, below that of its route: the document says that it is deprecated,
    and every answer has the headers. Raises `ValueError` for a notice of less than a year."""
    if ends - since < NOTICE:
        raise ValueError(f"an operation works for {NOTICE.days} days after it was deprecated")

    def mark(endpoint: Endpoint) -> Endpoint:
        endpoint.__dict__["deprecation"] = Deprecation(since, ends, instead)
        return endpoint

    return mark


def find_deprecation(endpoint: object) -> Deprecation | None:
    """What an endpoint was marked with; None if it is not deprecated."""
    found: Deprecation | None = getattr(endpoint, "deprecation", None)
    return found


def add_deprecations(document: Node, routes: Iterable[BaseRoute]) -> None:
    """Mark the deprecated operations of a document."""
    for route in routes:
        deprecation = find_deprecation(getattr(route, "endpoint", None))
        if deprecation is not None and isinstance(route, APIRoute):
            for method in route.methods or ():
                _mark(document["paths"][route.path][method.lower()], deprecation)
            document["components"]["headers"] |= HEADERS


def _mark(operation: Node, deprecation: Deprecation) -> None:
    operation["deprecated"] = True
    operation["description"] += (
        f"\n\nDeprecated since {deprecation.since}; it ends on {deprecation.ends}. "
        f"Use `{deprecation.instead}` instead."
    )
    for response in operation["responses"].values():
        response["headers"] |= {name: reference("headers", name) for name in HEADERS}


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
