"""The parts of the overview page: KPIs, alerts, payments by state, funds in transit, activity."""

from collections.abc import Mapping

import streamlit as st

from crossway.dashboard import charts, push, shared_query
from crossway.dashboard.components import live_fragment, notices, widget
from crossway.dashboard.components.charting import chart, theme_shade
from crossway.dashboard.components.date_range import period_control
from crossway.dashboard.session import current_mode, operator, services
from crossway.dashboard.views import incidents as matters
from crossway.dashboard.views import overview as view
from crossway.dashboard.views import periods
from crossway.usecases.operating.overview import Overview

# The server draws charts, so they update less often than the KPIs, which browsers draw.
CHART_MIN_INTERVAL_SECONDS = 10.0
_ATTENTION, _UNDER_WAY, _RECENT = "Active alerts by cause", "Funds in transit", "Recent activity"
_WHOLE = "Of the whole installation, test and live together"
_ALL_TIME = "All payments so far, whatever the period"
_STATES, _FIGURES = "Payments by status", "KPIs of the period"


Params = Mapping[str, str]


def period() -> Params:
    """The control of the period; returns the parameters of the URL that say it."""
    params = period_control(periods.NAMES, periods.DEFAULT_OF_FIGURES)
    with notices.show_errors():
        view.parse_period(services().clock.now(), params)
        return params
    return {}


def _words(params: Params) -> view.PeriodWords:
    return view.describe_period(services().clock.now(), params)


def _read(params: Params) -> Overview:
    caller = operator()
    return shared_query.read(
        f"overview {caller.mode} {sorted(params.items())}",
        lambda: push.overview(caller, params),
        render=lambda of: _render(of, params),
    )


def _render(overview: Overview, params: Params) -> shared_query.RenderState:
    """Browsers redraw KPIs, tables and the timeline; empty states belong to the frame."""
    names = services().catalogue
    causes, states = (
        matters.build_rows(names, overview.alert_groups),
        view.build_state_rows(overview),
    )
    rows, items = view.build_in_transit_rows(names, overview), view.build_recent_entries(overview)
    widgets = {
        "states": widget.table_data(states, view.STATES_COLUMNS, _STATES),
        "figures": widget.kpis_data(view.build_kpis(overview, _words(params)), _FIGURES),
        "attention": widget.table_data(causes, matters.COLUMNS, _ATTENTION),
        "under_way": widget.table_data(rows, view.IN_TRANSIT_COLUMNS, _UNDER_WAY),
        "recent": widget.timeline_data(items, _RECENT),
    }
    return shared_query.RenderState(widgets, (bool(causes), bool(states), bool(rows), bool(items)))


@live_fragment.fragment(shared=True)
def kpis(params: Params) -> None:
    """KPIs with their hourly or daily values and the change against the time before."""
    with notices.show_errors():
        widget.kpis(view.build_kpis(_read(params), _words(params)), "figures", _FIGURES)


@live_fragment.fragment(shared=True)
def attention(params: Params) -> None:
    """What needs attention, each with a link to its next step."""
    st.header("Needs attention", help=_WHOLE)
    with notices.show_errors():
        causes = _read(params).alert_groups
        if not causes:
            st.success("Nothing needs your attention.", icon=":material/check_circle:")
            return
        rows = matters.build_rows(services().catalogue, causes)
        widget.table(rows, matters.COLUMNS, "attention", _ATTENTION)


@live_fragment.fragment(shared=True)
def states(params: Params) -> None:
    """The number of payments in each state."""
    st.header("Payments by status", help=_ALL_TIME)
    with notices.show_errors():
        rows = view.build_state_rows(_read(params))
        if not rows:
            notices.empty_state(
                f"No {current_mode()} payments yet", "Create the first one or compare quotes."
            )
            return
        widget.table(rows, view.STATES_COLUMNS, "states", _STATES)


@live_fragment.fragment(shared=True)
def in_transit(params: Params) -> None:
    """Funds that left the payer and have not reached the recipient."""
    st.header("Funds in transit", help=_WHOLE)
    with notices.show_errors():
        rows = view.build_in_transit_rows(services().catalogue, _read(params))
        if not rows:
            st.markdown(
                "No funds in transit. "
                "Deposits appear here by chain until their payments are settled."
            )
            return
        widget.table(rows, view.IN_TRANSIT_COLUMNS, "under_way", _UNDER_WAY)


@live_fragment.fragment(shared=True, min_interval_seconds=CHART_MIN_INTERVAL_SECONDS)
def completed_chart(params: Params) -> None:
    """Completed payments in each hour or day of the period."""
    title = _words(params).title
    st.header(title)
    caller = operator()
    with notices.show_errors():
        steps = shared_query.read(
            f"steps {caller.mode} {sorted(params.items())}",
            lambda: view.list_steps(push.overview(caller, params)),
        )
        if not any(completed for _, completed, _ in steps):
            st.markdown(
                "No completed payments in this period. "
                "They appear here by time; choose a longer period to see older ones."
            )
            return
        option = charts.completed_and_volume(steps, theme_shade())
        chart(option, 300, "completed", f"Completed payments: {title}")


@live_fragment.fragment(shared=True)
def recent(params: Params) -> None:
    """The latest events."""
    st.header("Recent activity")
    with notices.show_errors():
        items = view.build_recent_entries(_read(params))
        if not items:
            st.markdown("No activity yet. New events appear here automatically.")
        widget.timeline(items, "recent", _RECENT)
