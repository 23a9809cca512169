"""Figures of Analytics over time: rows by hour or day, and the payments of selected ones."""

from collections.abc import Collection, Sequence
from typing import Final

from crossway.dashboard.views import periods
from crossway.dashboard.views.analytics import format_dollars
from crossway.dashboard.views.analytics_groups import count_payments, show_payments
from crossway.dashboard.views.analytics_selection import (
    PARAMS,
    Selection,
    describe_period,
    payments_href,
)
from crossway.dashboard.views.cells import Cell, Column, LinkButton, Row
from crossway.dashboard.views.formatting import format_day, format_share
from crossway.dashboard.views.links import page_href
from crossway.domain.analytics import STEP_LENGTHS, AnalyticsPeriod, Step
from crossway.domain.success import SUCCESS_MEANING
from crossway.ports.analytics import AnalyticsReport, SeriesPoint

COLUMNS: Final = (
    Column("Time (UTC)"),
    Column("Payments", "right", "Created in this hour or day"),
    Column("Completed", "right", "And their share of the payments"),
    Column("Success", "right", SUCCESS_MEANING),
    Column("Volume, USD", "right"),
    Column("Revenue, USD", "right"),
    Column("Cost, USD", "right"),
    Column("Margin, USD", "right"),
)


def is_hourly(report: AnalyticsReport) -> bool:
    """Whether the series has a point for each hour, else for each day."""
    return report.query.step is Step.HOUR


def build_rows(selection: Selection, report: AnalyticsReport) -> tuple[Row, ...]:
    """The series, the latest first; each row leads to its payments."""
    return tuple(_row(selection, report, point) for point in reversed(report.series))


def _row(selection: Selection, report: AnalyticsReport, point: SeriesPoint) -> Row:
    of = point.figures.measures
    start = point.at
    name = periods.format_minute(start) if is_hourly(report) else f"{start:%a} {format_day(start)}"
    period = _period_of(report, [point])
    return Row(
        key=periods.format_bound(point.at),
        cells=(
            Cell(name),
            Cell(f"{of.created:,}"),
            Cell(f"{of.completed:,}", sub=format_share(of.completed, of.created)),
            Cell(format_share(of.completed, of.ended_funded)),
            Cell(format_dollars(of.volume_micro_usd)),
            Cell(format_dollars(of.revenue_micro_usd)),
            Cell(f"≈ {format_dollars(point.figures.cost_micro_usd)}"),
            Cell(f"≈ {format_dollars(point.figures.margin_micro_usd)}"),
        ),
        href=payments_href(selection, period=period) if of.created else "",
        label=f"{name}: {count_payments(of.created)}",
    )


def _period_of(report: AnalyticsReport, points: Sequence[SeriesPoint]) -> AnalyticsPeriod:
    """From the first to the last of these points, as far as it is in the report's period."""
    of, length = report.query.period, STEP_LENGTHS[report.query.step]
    end = max(point.at for point in points) + length
    return AnalyticsPeriod(max(min(point.at for point in points), of.start), min(end, of.end))


def selected_links(
    selection: Selection, report: AnalyticsReport, starts: Collection[str]
) -> tuple[LinkButton, ...]:
    """Links to the payments from the first to the last selected point, and to the figures of that
    time alone."""
    wanted = {start[:16].replace(" ", "T") for start in starts}
    # Plotly writes midnight without its time.
    chosen = [
        point
        for point in report.series
        if periods.format_bound(point.at) in wanted or f"{point.at:%Y-%m-%d}" in wanted
    ]
    if not chosen:
        return ()
    period = _period_of(report, chosen)
    between = [p for p in report.series if chosen[0].at <= p.at <= chosen[-1].at]
    payments = sum(point.figures.measures.created for point in between)
    kept = {name: selection.params[name] for name in PARAMS[3:] if name in selection.params}
    closer = page_href("analytics", **periods.bound_params(period.start, period.end), **kept)
    text = describe_period(period)
    href = payments_href(selection, period=period)
    links = (show_payments(payments, href, text),) if payments and href else ()
    return (*links, LinkButton(f"Look at {text} alone", closer, "zoom_in"))
