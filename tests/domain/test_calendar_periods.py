"""Due dates at month ends and in leap years, and days that begin without a midnight."""

from datetime import UTC, date, datetime

import pytest

from crossway.domain.calendar_periods import (
    Interval,
    Schedule,
    local_date,
    parse_date,
    parse_time_zone,
    start_of_day,
)
from crossway.domain.errors import InvalidInput


def monthly(first: str, every: int = 1) -> Schedule:
    return Schedule(Interval.MONTH, every, date.fromisoformat(first), "UTC")


def dates(schedule: Schedule, count: int) -> list[str]:
    return [schedule.due_date(period).isoformat() for period in range(count)]


def test_the_last_day_stays_the_last_day_and_comes_back() -> None:
    assert dates(monthly("2027-01-31"), 5) == [
        "2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31",
    ]  # fmt: skip
    assert monthly("2027-12-31", 2).due_date(1) == date(2028, 2, 29)
    assert dates(monthly("2028-02-29", 12), 5)[1:] == [
        "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29",
    ]  # fmt: skip


def test_years_turn_and_the_calendar_ends() -> None:
    assert dates(monthly("2027-11-30"), 4) == [
        "2027-11-30", "2027-12-30", "2028-01-30", "2028-02-29",
    ]  # fmt: skip
    with pytest.raises(OverflowError):
        monthly("9999-12-01").due_date(1)


def test_weeks_keep_the_day_of_the_week() -> None:
    schedule = Schedule(Interval.WEEK, 2, date(2027, 12, 27), "UTC")
    assert dates(schedule, 3) == ["2027-12-27", "2028-01-10", "2028-01-24"]


@pytest.mark.parametrize(
    ("day", "period"),
    [("2026-12-01", 0), ("2027-01-31", 0), ("2027-02-01", 1), ("2027-02-28", 1), ("2027-03-01", 2)],
)
def test_the_first_period_that_is_due_on_a_day_or_later(day: str, period: int) -> None:
    assert monthly("2027-01-31").period_at(date.fromisoformat(day)) == period


@pytest.mark.parametrize(
    ("day", "period"), [("2027-01-04", 0), ("2027-01-05", 1), ("2027-01-18", 1), ("2027-01-19", 2)]
)
def test_the_same_by_weeks(day: str, period: int) -> None:
    schedule = Schedule(Interval.WEEK, 2, date(2027, 1, 4), "UTC")
    assert schedule.period_at(date.fromisoformat(day)) == period


@pytest.mark.parametrize(
    ("day", "zone", "at"),
    [
        (date(2027, 1, 31), "Europe/Berlin", "2027-01-30T23:00"),
        (date(2027, 7, 31), "Europe/Berlin", "2027-07-30T22:00"),
        (date(2027, 3, 1), "Pacific/Kiritimati", "2027-02-28T10:00"),
        (date(2027, 3, 1), "Pacific/Pago_Pago", "2027-03-01T11:00"),
        # At midnight clocks go on to one o'clock: the day begins there.
        (date(2024, 4, 26), "Africa/Cairo", "2024-04-25T22:00"),
        # Clocks go back to eleven at midnight: the day before is longer.
        (date(2023, 10, 27), "Africa/Cairo", "2023-10-26T22:00"),
        # Clocks go back to midnight at one: it is there twice.
        (date(2023, 10, 29), "Atlantic/Azores", "2023-10-29T00:00"),
        # Samoa has no such day: it begins with the next one.
        (date(2011, 12, 30), "Pacific/Apia", "2011-12-30T10:00"),
    ],
)
def test_a_day_begins_at_its_own_midnight(day: date, zone: str, at: str) -> None:
    assert start_of_day(day, zone) == datetime.fromisoformat(f"{at}+00:00")


def test_an_instant_has_the_date_of_its_zone() -> None:
    at = datetime(2027, 1, 31, 23, 30, tzinfo=UTC)
    assert local_date(at, "Europe/Berlin") == date(2027, 2, 1)
    assert local_date(at, "America/New_York") == date(2027, 1, 31)


@pytest.mark.parametrize("value", ["Mars/Olympus", "", None, 3, "../etc/passwd", "europe/berlin"])
def test_an_unknown_time_zone_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match="time_zone must be a time zone"):
        parse_time_zone(value)


@pytest.mark.parametrize("value", ["2027-02-29", "27-01-01", "20270101", "2027-W01-1", None, 5, ""])
def test_what_is_no_date_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match="due_date must be a date such as"):
        parse_date(value, "due_date")
