"""Periods of figures and lists as a URL says them: a named one, or a start and an end in UTC."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views.formatting import format_day
from crossway.domain.errors import InvalidInput

PERIOD, BOUNDS = "period", ("from", "to")
PARAMS: Final = (PERIOD, *BOUNDS)
ALL_TIME, DEFAULT_OF_FIGURES, CUSTOM = "all", "24h", "custom"
NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "24h": "24 hours",
        "7d": "7 days",
        "30d": "30 days",
        "month": "This month",
        "last_month": "Last month",
        CUSTOM: "Custom",
    }
)
NAMES_OF_LISTS: Final[Mapping[str, str]] = MappingProxyType({ALL_TIME: "Any time", **NAMES})
_LENGTHS: Final = {"24h": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(days=30),
                   "90d": timedelta(days=90), "year": timedelta(days=365)}  # fmt: skip
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_MAX_YEAR: Final = 9000


@dataclass(frozen=True, slots=True)
class TimeRange:
    """From `start`, included, to `end`, excluded; None is open. `name` is the named period, or
    `custom`."""

    name: str
    start: datetime | None = None
    end: datetime | None = None


def parse_range(params: Mapping[str, str], now: datetime, default: str) -> TimeRange:
    """The period of a URL, `default` without one. Raises `InvalidInput` with the reason."""
    first, last = params.get("from", ""), params.get("to", "")
    if first or last:
        start = parse_time("from", first) if first else None
        end = parse_end(last) if last else None
        if start and end and start >= end:
            raise InvalidInput("The period must end after it starts")
        return TimeRange(CUSTOM, start, end)
    name = params.get(PERIOD) or default
    if name == ALL_TIME:
        return TimeRange(ALL_TIME)
    if name not in NAMES or name == CUSTOM:
        raise InvalidInput(f"period must be one of {', '.join(n for n in NAMES if n != CUSTOM)}")
    return TimeRange(name, *named_bounds(name, now))


def parse_list_range(params: Mapping[str, str], now: datetime) -> TimeRange:
    """The period of a list, any time without one: it has an end only where that has passed or was
    asked for, so that what is new appears. Raises `InvalidInput` with the reason."""
    chosen = parse_range(params, now, ALL_TIME)
    ends = chosen.name in (CUSTOM, "last_month")
    return chosen if ends else TimeRange(chosen.name, chosen.start)


def is_named(name: str) -> bool:
    """Whether this is the name of a period with a start and an end."""
    return name in (*_LENGTHS, "month", "last_month")


def named_bounds(name: str, now: datetime) -> tuple[datetime, datetime]:
    """A named period; the current hour is part of it, up to now."""
    end = next_hour(now)
    if (length := _LENGTHS.get(name)) is not None:
        return end - length, end
    month = now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (month, end) if name == "month" else ((month - _DAY).replace(day=1), month)


def next_hour(now: datetime) -> datetime:
    """The start of the next whole hour in UTC."""
    return now.astimezone(UTC).replace(minute=0, second=0, microsecond=0) + _HOUR


def parse_time(name: str, text: str) -> datetime:
    """A day or a time in UTC. Raises `InvalidInput` that names the parameter."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or not 1970 <= at.year <= _MAX_YEAR:
        raise InvalidInput(
            f"{name} must be a day or a time in UTC, such as 2026-11-21 or 2026-11-21T14:00"
        )
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def parse_end(text: str) -> datetime:
    """The end of a period; a day without a time is included."""
    at = parse_time("to", text)
    return at + _DAY if len(text) <= len("2026-11-21") else at


def parse_bound(name: str, text: str) -> datetime | None:
    """The `from` or `to` of a query string; None if it is missing or says no time."""
    try:
        return None if not text else parse_end(text) if name == "to" else parse_time(name, text)
    except InvalidInput:
        return None


def format_bound(at: datetime) -> str:
    """A time as `from` or `to` of a query string."""
    return f"{at:%Y-%m-%dT%H:%M}"


def bound_params(start: datetime, end: datetime) -> dict[str, str]:
    """The query parameters of a free period."""
    return {"from": format_bound(start), "to": format_bound(end)}


def describe_range(range: TimeRange) -> str:
    """A period as the start of a sentence: `Last 7 days`, `This month`, `1 Nov to 14 Nov 2026`."""
    if range.name in _LENGTHS and range.name in NAMES:
        return f"Last {NAMES[range.name]}"
    if range.name != CUSTOM or range.start is None or range.end is None:
        return NAMES_OF_LISTS.get(range.name, "")
    return describe_bounds(range.start, range.end)


def describe_bounds(start: datetime, end: datetime) -> str:
    """A period in UTC as text: `1 Nov 2026 to 14 Nov 2026` for whole days, else with the times."""
    if start.hour or end.hour:
        return f"{format_minute(start)} to {format_minute(end)}"
    last = end - _DAY
    return format_day(last) if last == start else f"{format_day(start)} to {format_day(last)}"


def format_minute(at: datetime) -> str:
    """A time in UTC: `21 Nov 2026, 14:00`."""
    return f"{format_day(at)}, {at:%H:%M}"
