"""The parts of the page Analytics: figures, and charts with the payments behind them."""

from collections.abc import Sequence

import streamlit as st

from crossway.dashboard import analytics_charts as charts
from crossway.dashboard.components import notices, pagination, widget
from crossway.dashboard.components.plotly_charts import is_touch, plotly_chart, selected_keys
from crossway.dashboard.session import services
from crossway.dashboard.views import analytics as view
from crossway.dashboard.views import analytics_groups as groups_view
from crossway.dashboard.views import analytics_measures as measures
from crossway.dashboard.views import analytics_series as series_view
from crossway.dashboard.views import analytics_steps as steps
from crossway.dashboard.views.analytics_selection import DIMENSION_NAMES, Selection
from crossway.dashboard.views.cells import Column, LinkButton, Row
from crossway.ports.analytics import AnalyticsReport


def headline(report: AnalyticsReport) -> None:
    """Volume, revenue, cost, margin and completed share."""
    widget.kpis(view.build_kpis(report), "analytics_kpis", "Figures of the period")


def over_time(selection: Selection, report: AnalyticsReport, measure: measures.Measure) -> None:
    """One figure by hour or day; selected bars lead to their payments."""
    st.header(f"{measure.title} over time")
    if not is_touch():
        st.caption(
            "In every chart: click a mark to get to its payments, or choose Box Select above the "
            "chart and draw a box around several. Drag to zoom, double-click to zoom out."
        )
    marks = plotly_chart(
        charts.over_time(
            measures.time_points(report, measure), measure.unit, series_view.is_hourly(report)
        ),
        "analytics_time",
        f"{measure.title} over time. The table below it has the figures.",
        f"{selection} {measure.title}",
    )
    starts = [str(mark["x"]) for mark in marks]
    _links(series_view.selected_links(selection, report, starts), "time_links")
    with st.expander("Figures over time as a table", icon=":material/table_rows:"):
        rows = series_view.build_rows(selection, report)
        _paged(rows, series_view.COLUMNS, "analytics_series", "Figures over time", selection)


def by_group(selection: Selection, report: AnalyticsReport, measure: measures.Measure) -> None:
    """Groups as bars and as a table; both lead to the payments behind them."""
    dimension = report.query.dimension
    title = DIMENSION_NAMES[dimension]
    st.header(f"By {title.lower()}")
    groups = groups_view.name_groups(services(), report)
    bars = measures.group_bars(groups, measure)
    marks = plotly_chart(
        charts.bars(bars[: charts.MAX_BARS], measure.unit),
        "analytics_groups_chart",
        f"{measure.title} by {title.lower()}. The table below it has the figures.",
        f"{selection} {measure.title}",
    )
    if len(bars) > charts.MAX_BARS:
        st.caption(f"The chart shows the {charts.MAX_BARS} largest of {len(bars):,}.")
    _links(groups_view.selected_links(selection, groups, selected_keys(marks)), "group_links")
    rows = groups_view.build_rows(selection, groups)
    columns = groups_view.build_columns(dimension)
    _paged(rows, columns, "analytics_groups", f"Figures by {title.lower()}", selection)


def funnel(selection: Selection, report: AnalyticsReport) -> None:
    """From creation to payout, and where people give up."""
    st.header("From creation to payout")
    of = report.total.measures
    st.markdown(notices.escape_markdown(steps.describe_funnel(of)))
    left, right = st.columns(2, gap="large")
    with left:
        marks = plotly_chart(
            charts.funnel(steps.funnel_bars(of)),
            "analytics_funnel_chart",
            "Payments by step. The table beside it has the figures.",
            str(selection),
        )
        titles = {str(mark["y"]) for mark in marks}
        _links(steps.selected_steps(selection, of, titles), "funnel_links")
    with right:
        rows = steps.build_funnel_rows(selection, of)
        widget.table(rows, steps.FUNNEL_COLUMNS, "analytics_funnel", "Payments by step")


def failures(selection: Selection, report: AnalyticsReport) -> None:
    """Why payments ended without a payout."""
    st.header("Why payments were not completed")
    if not report.causes:
        st.markdown("No payment ended without a payout, in this period or the one before.")
        return
    left, right = st.columns(2, gap="large")
    with left:
        marks = plotly_chart(
            charts.bars(measures.cause_bars(report), "payments"),
            "analytics_causes_chart",
            "Payments by cause. The table beside it has the figures.",
            str(selection),
        )
        causes = steps.selected_causes(selection, report, selected_keys(marks))
        _links(causes, "cause_links")
    with right:
        rows = steps.build_cause_rows(selection, report)
        widget.table(rows, steps.CAUSE_COLUMNS, "analytics_causes", "Payments by cause")


def durations(selection: Selection, report: AnalyticsReport) -> None:
    """Time from the complete deposit to the payout, by route."""
    st.header("Time to completion by route")
    if not report.durations:
        st.markdown("No payment of this period is completed.")
        return
    catalogue, shown = services().catalogue, report.durations[: steps.MAX_ROUTES]
    st.caption(steps.describe_durations(len(shown), len(report.durations)))
    left, right = st.columns(2, gap="large")
    with left:
        marks = plotly_chart(
            charts.spans(measures.duration_spans(catalogue, shown)),
            "analytics_durations_chart",
            "Median and p95 by route. The table beside it has the figures.",
            str(selection),
        )
        routes = steps.selected_durations(catalogue, selection, report, selected_keys(marks))
        _links(routes, "duration_links")
    with right:
        rows = steps.build_duration_rows(catalogue, selection, shown)
        label = "Time to completion by route"
        widget.table(rows, steps.DURATION_COLUMNS, "analytics_durations", label)


def _links(links: Sequence[LinkButton], key: str) -> None:
    """Where a selection leads."""
    if links:
        widget.link_buttons(links, f"analytics_{key}", width="content")


def _paged(
    rows: Sequence[Row], columns: Sequence[Column], key: str, label: str, selection: Selection
) -> None:
    """One page of a table, with buttons to the others."""
    start = pagination.cursor(key, str(selection)) or 0
    end = start + groups_view.PAGE_SIZE
    following = end if end < len(rows) else None
    count = f"{len(rows):,} in all{pagination.place(key, following)}"
    widget.table(rows[start:end], columns, key, label, count)
    pagination.page_buttons(key, following, "Next", newer="Previous")
