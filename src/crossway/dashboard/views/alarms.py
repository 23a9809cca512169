"""Alarms in words: the strip above every screen, those that stand, and those that are over."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from crossway.dashboard.views.attention import SEVERITIES, alarms_href, remedy
from crossway.dashboard.views.cells import Cell, Chip, Column, Row
from crossway.dashboard.views.figures import duration, millis, usd
from crossway.domain.clients import Caller
from crossway.ports.alarm_records import AlarmFilter, PastAlarm
from crossway.ports.records import Alarm
from crossway.ports.services import Services
from crossway.usecases.operating import alarms as cases
from crossway.usecases.operating import attention

STANDING_COLUMNS: Final = (
    Column("What"),
    Column("Why"),
    Column("Money", "right", wide=True),
    Column("Since", "right"),
    Column("Who looks after it"),
    Column("Remedy"),
)
PAST_COLUMNS: Final = (
    Column("What"),
    Column("Why"),
    Column("Raised", "right"),
    Column("Over", "right"),
    Column("Stood for", "right"),
    Column("Who saw to it"),
)
PAGE: Final = 25
STANDING, PAST = "Standing", "Past"
ANYBODY, SEEN_TO, NOBODY = "All", "Seen to", "Seen to by nobody"
WHOM: Final = {ANYBODY: None, SEEN_TO: True, NOBODY: False}


@dataclass(frozen=True, slots=True)
class Page:
    """One page of past alarms; `older_than` is where the next one begins."""

    rows: tuple[Row, ...]
    older_than: int | None


def strip(services: Services) -> dict[str, Any]:
    """What the strip says, as its widget takes it: how many of each severity that nobody has seen
    to, and the newest of the gravest with the screen where its remedy is."""
    with services.store.read() as unit:
        found = unit.network.alarms(limit=cases.MOST_STANDING)
        causes = attention.causes(unit, found) if found else []
    # What another alarm tells better is not counted either.
    matters = [matter for cause in causes for matter in cause.matters]
    summed = cases.summed_up([matter.alarm for matter in matters])
    newest = next((m for m in matters if summed.newest and m.alarm.key == summed.newest.key), None)
    counts = summed.counts.items()
    return {
        "href": alarms_href(),
        "seen_to": summed.seen_to,
        "counts": [_counted(SEVERITIES[of], number) for of, number in counts if number],
        "newest": None
        if newest is None
        else {
            "text": newest.alarm.message,
            "href": remedy(newest).href,
            "way": remedy(newest).label,
            "at": millis(newest.alarm.since),
        },
    }


def _counted(severity: Chip, number: int) -> dict[str, Any]:
    return {"n": number, "text": severity.text, "color": severity.color, "icon": severity.icon}


def standing(services: Services, caller: Caller, kind: str | None) -> tuple[Row, ...]:
    """Every alarm that stands, of one kind or all, the gravest first."""
    return tuple(
        _standing(cause, matter)
        for cause in attention.attention(services, caller)
        if kind in (None, cause.kind)
        for matter in cause.matters
    )


def _standing(cause: attention.Cause, matter: attention.Matter) -> Row:
    alarm, way = matter.alarm, remedy(matter)
    severity = SEVERITIES[cause.severity]
    return Row(
        key=alarm.key,
        href=way.href,
        label=f"{alarm.message} {way.label}",
        cells=(
            Cell(cases.about(cause.kind).one, chips=(severity,)),
            Cell(alarm.message),
            Cell(f"≈ {usd(matter.micro_usd)}" if matter.micro_usd else "–"),
            Cell(at=millis(alarm.since)),
            _seen_to(alarm),
            Cell(way.label),
        ),
    )


def _seen_to(alarm: Alarm) -> Cell:
    if alarm.acknowledged_at is None:
        return Cell("Nobody yet")
    words = f"{alarm.acknowledged_by}: {alarm.note}" if alarm.note else alarm.acknowledged_by
    return Cell(words, at=millis(alarm.acknowledged_at))


def to_acknowledge(services: Services, caller: Caller, kind: str | None) -> dict[str, str]:
    """What nobody has seen to, by key, in words."""
    return _offered(services, caller, kind, by_hand=False)


def to_settle(services: Services, caller: Caller, kind: str | None) -> dict[str, str]:
    """What stands until a person ends it, by key, in words."""
    return _offered(services, caller, kind, by_hand=True)


def _offered(services: Services, caller: Caller, kind: str | None, by_hand: bool) -> dict[str, str]:
    return {
        matter.alarm.key: matter.alarm.message
        for cause in attention.attention(services, caller)
        if kind in (None, cause.kind)
        for matter in cause.matters
        if (
            cases.about(cause.kind).ends_by_hand
            if by_hand
            else matter.alarm.acknowledged_at is None
        )
    }


def past(
    services: Services, caller: Caller, kind: str | None, whom: str, before: int | None
) -> Page:
    """Alarms that are over, newest first."""
    # Failed refunds are stored with all transfers that failed, lying nodes with those that lag.
    stored = {"refund": "transfer", "forged": "node"}.get(kind or "", kind)
    wanted = AlarmFilter((stored,) if stored else (), WHOM.get(whom), before)
    found = cases.past(services, caller, wanted, PAGE + 1)
    older = found[PAGE - 1].id if len(found) > PAGE else None
    return Page(tuple(_past(one) for one in found[:PAGE]), older)


def _past(one: PastAlarm) -> Row:
    alarm = one.alarm
    kind = cases.about(cases.kind_of(alarm))
    ended = alarm.cleared_at or alarm.seen_at
    severity = SEVERITIES[kind.severity]
    return Row(
        key=str(one.id),
        cells=(
            Cell(kind.one, chips=(Chip(severity.text, "gray", severity.icon),)),
            Cell(alarm.message),
            Cell(at=millis(alarm.since), as_="exact"),
            Cell(at=millis(ended), as_="exact"),
            Cell(duration((ended - alarm.since).total_seconds())),
            _seen_to(alarm) if alarm.acknowledged_at else Cell("Nobody"),
        ),
    )


def kinds() -> Sequence[str]:
    """Every kind, the gravest first."""
    return sorted(cases.KINDS, key=lambda kind: cases.ORDER.index(cases.KINDS[kind].severity))


def called(kind: str) -> str:
    """A kind in words."""
    return cases.about(kind).many
