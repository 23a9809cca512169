"""What the charts of Analytics can show of a group or a point in time, and the points of charts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views.analytics_groups import NamedGroup
from crossway.dashboard.views.analytics_steps import cause_name, route_name
from crossway.dashboard.views.formatting import format_duration
from crossway.domain.analytics import route_value
from crossway.domain.catalogue import Catalogue
from crossway.ports.analytics import AnalyticsReport, Figures, RouteDuration

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar with the value of the period before; `key` comes back when it is selected."""

    key: str
    name: str
    value: float
    before: float


@dataclass(frozen=True, slots=True)
class Point:
    """A value of one hour or day with its number of payments, and the value of the hour or day at
    the same place of the period before; None where that has none, or no payment at all."""

    at: datetime
    value: float
    payments: int
    at_before: datetime | None
    before: float | None


@dataclass(frozen=True, slots=True)
class Span:
    """The median and the 95th percentile of a group, in seconds, with their texts."""

    key: str
    name: str
    p50: float
    p95: float
    p50_text: str
    p95_text: str


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure by name and unit; amounts are read in dollars, for charts only."""

    title: str
    unit: str
    read: Callable[[Figures], float]


MEASURES: Final[Mapping[str, Measure]] = MappingProxyType(
    {
        "volume": Measure("Volume", "USD", lambda of: of.measures.volume_micro_usd / _MILLION),
        "payments": Measure("Payments", "payments", lambda of: of.measures.created),
        "completed": Measure("Completed", "payments", lambda of: of.measures.completed),
        "revenue": Measure("Revenue", "USD", lambda of: of.measures.revenue_micro_usd / _MILLION),
        "cost": Measure("Cost", "USD", lambda of: of.cost_micro_usd / _MILLION),
        "margin": Measure("Margin", "USD", lambda of: of.margin_micro_usd / _MILLION),
    }
)


def group_bars(groups: Sequence[NamedGroup], measure: Measure) -> list[Bar]:
    """The groups as bars, the largest first."""
    bars = [
        Bar(one.group.value, one.name, measure.read(one.group.figures),
            measure.read(one.group.before))
        for one in groups
    ]  # fmt: skip
    return sorted(bars, key=lambda bar: -bar.value)


def time_points(report: AnalyticsReport, measure: Measure) -> list[Point]:
    """The series as points."""
    had_payments = report.before.measures.created > 0
    earlier = dict(enumerate(report.series_before if had_payments else ()))
    return [
        Point(
            point.at,
            measure.read(point.figures),
            point.figures.measures.created,
            before.at if (before := earlier.get(place)) else None,
            measure.read(before.figures) if before else None,
        )
        for place, point in enumerate(report.series)
    ]


def cause_bars(report: AnalyticsReport) -> list[Bar]:
    """The causes of failures as bars."""
    return [
        Bar(one.cause.value, cause_name(one.cause), one.payments, one.payments_before)
        for one in report.causes
    ]


def duration_spans(catalogue: Catalogue, durations: Sequence[RouteDuration]) -> list[Span]:
    """The times to completion by route."""
    return [
        Span(
            route_value(one.source, one.destination),
            route_name(catalogue, one),
            one.p50,
            one.p95,
            format_duration(one.p50),
            format_duration(one.p95),
        )
        for one in durations
    ]
