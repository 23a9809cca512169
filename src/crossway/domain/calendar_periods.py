"""Repeating periods by the calendar of a time zone: weekly and monthly due dates."""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from crossway.domain.errors import InvalidInput

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")


class Interval(StrEnum):
    """How often something repeats."""

    WEEK = "week"
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class Schedule:
    """Due dates every so many weeks or months from the first one on, in a time zone.

    Months count from the first date, so that what is due on the 31st is due on the last day of
    shorter months and on the 31st again after them.
    """

    interval: Interval
    every: int
    first: date
    time_zone: str

    def due_date(self, period: int) -> date:
        """The due date of a period, from 0 on. Raises `OverflowError` after the year 9999."""
        if self.interval is Interval.WEEK:
            return self.first + timedelta(weeks=self.every * period)
        months = self.first.year * 12 + self.first.month - 1 + self.every * period
        year, month = divmod(months, 12)
        if year > date.max.year:
            raise OverflowError("date value out of range")
        last = monthrange(year, month + 1)[1]
        return date(year, month + 1, min(self.first.day, last))

    def period_at(self, day: date) -> int:
        """The number of the first period that is due on this day or later; at least 0."""
        if self.interval is Interval.WEEK:
            return max(0, -(-(day - self.first).days // (7 * self.every)))
        months = (day.year - self.first.year) * 12 + day.month - self.first.month
        period = max(0, months // self.every)
        return period if self.due_date(period) >= day else period + 1


def start_of_day(day: date, time_zone: str) -> datetime:
    """The instant, in UTC, at which a day begins in a time zone. Where clocks skip midnight, that
    is the first instant after it; where they repeat it, the first of the two."""
    return datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(time_zone)).astimezone(UTC)


def local_date(at: datetime, time_zone: str) -> date:
    """The date of an instant in a time zone."""
    return at.astimezone(ZoneInfo(time_zone)).date()


def parse_time_zone(value: object, field: str = "time_zone") -> str:
    """A name of the IANA database, such as `Europe/Berlin`; raises `InvalidInput`."""
    if not isinstance(value, str) or value not in available_timezones():
        raise InvalidInput(f"{field} must be a time zone such as Europe/Berlin or UTC")
    return value


def parse_date(value: object, field: str) -> date:
    """A date such as 2027-01-31; raises `InvalidInput`."""
    try:
        if not isinstance(value, str) or not _DATE.match(value):
            raise ValueError
        return date.fromisoformat(value)
    except ValueError:
        raise InvalidInput(f"{field} must be a date such as 2027-01-31") from None
