"""Subscriptions: invoices that repeat by the calendar, and when they stop."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any

from crossway.domain.calendar_periods import Interval, Schedule, start_of_day


class SubscriptionState(StrEnum):
    """ACTIVE issues invoices; PAUSED does not until it is resumed; CANCELLED and ENDED never do
    again."""

    ACTIVE = "active"
    PAUSED = "paused"
    CANCELLED = "cancelled"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Subscription:
    """One subscription as stored.

    `content` is that of its invoices; `link` what their payment links have in common. The invoice
    of a period is issued `lead_days` before its due date. `periods` is how many there are, None
    without an end; `next_period` the next one to be issued, at `next_at`. `skipped` counts periods
    that passed without an invoice. With `max_unpaid` unpaid invoices it pauses itself.
    """

    id: int
    name: str
    client_id: str
    mode: str
    state: SubscriptionState
    reason: str
    content: Mapping[str, Any]
    link: Mapping[str, Any]
    interval: Interval
    every: int
    first_date: str
    time_zone: str
    lead_days: int
    periods: int | None
    max_unpaid: int
    next_period: int
    next_at: datetime | None
    skipped: int
    created_at: datetime
    updated_at: datetime

    @property
    def schedule(self) -> Schedule:
        """Its due dates."""
        first = date.fromisoformat(self.first_date)
        return Schedule(self.interval, self.every, first, self.time_zone)

    def has_period(self, period: int) -> bool:
        """Whether there is such a period."""
        return self.periods is None or period < self.periods

    def issue_at(self, period: int) -> datetime:
        """When the invoice of a period is issued."""
        day = self.schedule.due_date(period) - timedelta(days=self.lead_days)
        return start_of_day(day, self.time_zone)

    def current_period(self, now: datetime) -> int:
        """The newest period whose invoice may be issued now, at least the next one: those before
        it were missed, and their invoices are not issued together."""
        period = self.next_period
        while self.has_period(period + 1) and self.issue_at(period + 1) <= now:
            period += 1
        return period
