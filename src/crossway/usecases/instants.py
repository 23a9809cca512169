"""Instants in requests, ISO 8601 with a time zone or a date alone, and in answers and exports."""

from datetime import UTC, datetime
from typing import Final

from crossway.domain.errors import InvalidInput
from crossway.usecases.validation_errors import ValidationErrors

_INSTANT: Final = "2026-11-21T10:53:00.000Z"
_DATE_LENGTH: Final = len("2026-11-21")


def parse_instant(text: object, field: str) -> datetime:
    """The instant in UTC that a text names; a date alone is its midnight in UTC.

    Raises `InvalidInput`, also for a time of day without a time zone.
    """
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        at = None
    if at is not None and at.tzinfo is None and isinstance(text, str) and len(text) <= _DATE_LENGTH:
        at = at.replace(tzinfo=UTC)
    if at is None or at.tzinfo is None or not 1970 <= at.year <= 9000:
        raise InvalidInput(f"{field} must be an instant such as {_INSTANT}, or a date")
    return at.astimezone(UTC)


def timestamp(at: datetime) -> str:
    """An instant as ISO 8601 in UTC with milliseconds and `Z`."""
    return at.isoformat(timespec="milliseconds")[:-6] + "Z"


def timestamp_seconds(at: datetime) -> str:
    """An instant as ISO 8601 in UTC, cut to whole seconds: it ends in `.000Z`."""
    return at.isoformat(timespec="seconds")[:-6] + ".000Z"


def parse_creation(
    after: str | None, before: str | None
) -> tuple[datetime | None, datetime | None]:
    """The start, included, and the end, excluded, of a period of creation; None leaves a side open.

    Raises `InvalidInput` with the field errors of both.
    """
    errors = ValidationErrors()
    start = None if after is None else errors.collect(parse_instant, after, "created_after")
    end = None if before is None else errors.collect(parse_instant, before, "created_before")
    if start is not None and end is not None and start >= end:
        errors.add("created_after must be before created_before")
    errors.raise_if_any()
    return start, end
