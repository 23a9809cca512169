"""The parts of the overview page: KPIs, alerts, payments by state, funds in transit, activity."""

import streamlit as st

from crossway.dashboard import charts, push, shared_query
from crossway.dashboard.components import live_fragment, notices, widget
from crossway.dashboard.components.charting import chart, theme_shade
from crossway.dashboard.session import current_mode, operator, services
from crossway.dashboard.views import incidents as matters
from crossway.dashboard.views import overview as view
from crossway.usecases.operating.overview import Overview

# The server draws charts, so they update less often than the KPIs, which browsers draw.
CHART_MIN_INTERVAL_SECONDS = 10.0
_ATTENTION, _UNDER_WAY, _RECENT = "Active alerts by cause", "Funds in transit", "Recent activity"
_WHOLE = "Of the whole installation, test and live together"
_HOURS = "Completed payments and their volume per hour"
_STATES, _FIGURES = "Payments by status", "KPIs of the last 24 hours"


def _read() -> Overview:
    caller = operator()
    return shared_query.read(
        f"overview {caller.mode}", lambda: push.overview(caller), render=_render
    )


def _render(overview: Overview) -> shared_query.RenderState:
    """Browsers redraw KPIs, tables and the timeline; empty states belong to the frame."""
    names = services().catalogue
    causes, states = (
        matters.build_rows(names, overview.alert_groups),
        view.build_state_rows(overview),
    )
    rows, items = view.build_in_transit_rows(names, overview), view.build_recent_entries(overview)
    widgets = {
        "states": widget.table_data(states, view.STATES_COLUMNS, _STATES),
        "figures": widget.kpis_data(view.build_kpis(overview), _FIGURES),
        "attention": widget.table_data(causes, matters.COLUMNS, _ATTENTION),
        "under_way": widget.table_data(rows, view.IN_TRANSIT_COLUMNS, _UNDER_WAY),
        "recent": widget.timeline_data(items, _RECENT),
    }
    return shared_query.RenderState(widgets, (bool(causes), bool(states), bool(rows), bool(items)))


@live_fragment.fragment(shared=True)
def kpis() -> None:
    """KPIs with their hourly values and the change against the previous 24 hours."""
    with notices.show_errors():
        widget.kpis(view.build_kpis(_read()), "figures", _FIGURES)


@live_fragment.fragment(shared=True)
def attention() -> None:
    """What needs attention, each with a link to its next step."""
    st.header("Needs attention", help=_WHOLE)
    with notices.show_errors():
        causes = _read().alert_groups
        if not causes:
            st.success("Nothing needs your attention.", icon=":material/check_circle:")
            return
        rows = matters.build_rows(services().catalogue, causes)
        widget.table(rows, matters.COLUMNS, "attention", _ATTENTION)


@live_fragment.fragment(shared=True)
def states() -> None:
    """The number of payments in each state."""
    st.header("Payments by status")
    with notices.show_errors():
        rows = view.build_state_rows(_read())
        if not rows:
            notices.empty_state(
                f"No {current_mode()} payments yet", "Create the first one or compare quotes."
            )
            return
        widget.table(rows, view.STATES_COLUMNS, "states", _STATES)


@live_fragment.fragment(shared=True)
def in_transit() -> None:
    """Funds that left the payer and have not reached the recipient."""
    st.header("Funds in transit", help=_WHOLE)
    with notices.show_errors():
        rows = view.build_in_transit_rows(services().catalogue, _read())
        if not rows:
            st.markdown("No funds in transit.")
            return
        widget.table(rows, view.IN_TRANSIT_COLUMNS, "under_way", _UNDER_WAY)


@live_fragment.fragment(shared=True, min_interval_seconds=CHART_MIN_INTERVAL_SECONDS)
def hourly_chart() -> None:
    """Completed payments in each of the last 24 hours."""
    st.header("Last 24 hours")
    caller = operator()
    with notices.show_errors():
        hours = shared_query.read(
            f"last hours {caller.mode}", lambda: view.list_hours(push.overview(caller))
        )
        if not any(completed for _, completed, _ in hours):
            st.markdown("No completed payments in the last 24 hours.")
            return
        chart(charts.hourly(hours, theme_shade()), 320, "hourly", _HOURS)


@live_fragment.fragment(shared=True)
def recent() -> None:
    """The latest events."""
    st.header("Recent activity")
    with notices.show_errors():
        items = view.build_recent_entries(_read())
        if not items:
            st.markdown("No activity yet. New events appear here automatically.")
        widget.timeline(items, "recent", _RECENT)
