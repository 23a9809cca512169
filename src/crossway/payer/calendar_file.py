"""Calendar files (iCalendar, RFC 5545) with due dates."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

MEDIA_TYPE: Final = "text/calendar; charset=utf-8"
_LINE_BYTES: Final = 75


@dataclass(frozen=True, slots=True)
class DueDate:
    """One all-day event: `key` makes its id, the same each time that the file is made."""

    key: str
    day: date
    title: str
    url: str


def write_calendar(due_dates: Iterable[DueDate], now: datetime) -> str:
    """A calendar that reminds of each due date the day before."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Crossway//Due dates//EN"]
    lines += ["CALSCALE:GREGORIAN", "METHOD:PUBLISH"]
    for due in due_dates:
        lines += _event(due, now)
    return "".join(f"{_fold(line)}\r\n" for line in [*lines, "END:VCALENDAR"])


def _event(due: DueDate, now: datetime) -> Iterator[str]:
    title = _escape(due.title)
    yield "BEGIN:VEVENT"
    yield f"UID:{due.key}@crossway"
    yield f"DTSTAMP:{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    yield f"DTSTART;VALUE=DATE:{due.day:%Y%m%d}"
    yield f"DTEND;VALUE=DATE:{due.day + timedelta(days=1):%Y%m%d}"
    yield f"SUMMARY:{title}"
    yield f"URL:{due.url}"
    yield f"DESCRIPTION:{_escape(due.url)}"
    yield "TRANSP:TRANSPARENT"
    yield from ("BEGIN:VALARM", "ACTION:DISPLAY", f"DESCRIPTION:{title}", "TRIGGER:-P1D")
    yield from ("END:VALARM", "END:VEVENT")


def _escape(text: str) -> str:
    for plain in ("\\", ";", ","):
        text = text.replace(plain, f"\\{plain}")
    return text.replace("\r", "").replace("\n", "\\n")


def _fold(line: str) -> str:
    """A line in parts of at most 75 bytes, no character broken; each further part begins with a
    space."""
    parts: list[str] = []
    part = ""
    for character in line:
        room = _LINE_BYTES - (1 if parts else 0)
        if len((part + character).encode()) > room:
            parts.append(part)
            part = ""
        part += character
    return "\r\n ".join([*parts, part])
