"""What can be done with selected alerts, how long they can be snoozed, and how that is shown."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from crossway.dashboard.views.cells import Badge, Cell, Row, RowAction
from crossway.dashboard.views.formatting import format_utc, to_millis
from crossway.ports.records import Alert

ACKNOWLEDGE: Final = RowAction("acknowledge", "Acknowledge", "visibility", primary=True)
ASSIGN: Final = RowAction("assign", "Assign…", "person_add")
SNOOZE: Final = RowAction("snooze", "Snooze…", "snooze")
END_SNOOZE: Final = RowAction("end_snooze", "End snooze", "notifications_active")
_ALWAYS: Final = (ACKNOWLEDGE, ASSIGN, SNOOZE)

_SNOOZED: Final = "Snoozed"
CUSTOM_TIME: Final = "Until a time"
_MORNING_HOUR: Final = 8


def _next_morning(now: datetime) -> datetime:
    morning = now.astimezone(UTC).replace(hour=_MORNING_HOUR, minute=0, second=0, microsecond=0)
    return morning if morning > now else morning + timedelta(days=1)


SNOOZES: Final[Mapping[str, Callable[[datetime], datetime]]] = {
    "1 hour": lambda now: now + timedelta(hours=1),
    "4 hours": lambda now: now + timedelta(hours=4),
    "Until 08:00 UTC": _next_morning,
    "3 days": lambda now: now + timedelta(days=3),
    "1 week": lambda now: now + timedelta(weeks=1),
}


def offered_actions(rows: Sequence[Row]) -> Sequence[RowAction]:
    """What can be done with these active alerts."""
    badges = {badge.text for row in rows for badge in row.cells[0].badges}
    return (*_ALWAYS, END_SNOOZE) if _SNOOZED in badges else _ALWAYS


def format_until(until: datetime) -> str:
    """The end of a snooze, in UTC."""
    return format_utc(until.astimezone(UTC))


def owner_cell(alert: Alert) -> Cell:
    """Who looks after an alert, when they acknowledged it, and their note."""
    if not alert.owner:
        return Cell("Unassigned")
    if alert.acknowledged_at is None:
        return Cell(alert.owner, sub="Not acknowledged yet")
    text = f"{alert.owner}: {alert.note}" if alert.note else alert.owner
    other = "" if alert.owner == alert.acknowledged_by else alert.acknowledged_by
    return Cell(
        text,
        sub=f"Acknowledged by {other}" if other else "",
        at=to_millis(alert.acknowledged_at),
    )


def snoozed_badge(alert: Alert, now: datetime) -> tuple[Badge, ...]:
    """The badge of a snoozed alert; empty for others."""
    if alert.snoozed_until is None or not alert.is_snoozed(now):
        return ()
    until = format_until(alert.snoozed_until)
    return (Badge(_SNOOZED, "violet", "snooze", f"Comes back at {until}"),)
