"""The hours or days that the overview counts."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from crossway.domain.corridor_stats import SECONDS, Period
from crossway.domain.errors import InvalidInput

HOURS: Final = 24
MAX_DAYS: Final = 366
_MAX_HOURLY: Final = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class OverviewPeriod:
    """Whole hours or days, by their numbers since 1970: from `first`, included, to `end`."""

    step: Period
    first: int
    end: int

    def start_of(self, number: int) -> datetime:
        """The start of an hour or day."""
        return datetime.fromtimestamp(number * SECONDS[self.step], tz=UTC)


def choose_period(now: datetime, start: datetime, end: datetime) -> OverviewPeriod:
    """The hours of a time of up to two days, else its days; none of them has yet to begin. Raises
    `InvalidInput` where no time is left, or more than `MAX_DAYS`."""
    step = Period.HOUR if end - start <= _MAX_HOURLY else Period.DAY
    seconds = SECONDS[step]
    first = int(start.timestamp()) // seconds
    following = int(now.timestamp()) // seconds + 1
    last = min(-(-int(end.timestamp()) // seconds), following)
    if last <= first:
        raise InvalidInput("The period must end after it begins, and begin before now")
    if step is Period.DAY and last - first > MAX_DAYS:
        raise InvalidInput(f"The period must be {MAX_DAYS} days at most")
    return OverviewPeriod(step, first, last)


def last_hours(now: datetime) -> OverviewPeriod:
    """The last 24 hours, the current one included."""
    following = int(now.timestamp()) // SECONDS[Period.HOUR] + 1
    return OverviewPeriod(Period.HOUR, following - HOURS, following)
