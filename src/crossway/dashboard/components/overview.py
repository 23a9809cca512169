"""The start of a shift in its parts: numbers, what needs a person, money under way, the hours."""

import streamlit as st

from crossway.dashboard import charts, live, watching
from crossway.dashboard.components import living, notices, widget
from crossway.dashboard.components.charting import chart, shade
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import attention as matters
from crossway.dashboard.views import overview as view
from crossway.usecases.operating.operations import Overview

# A chart is drawn by the server each time: the numbers above it are there at once.
CHART_REST_SECONDS = 10.0
_ATTENTION, _UNDER_WAY, _RECENT = "To be looked at", "Money under way", "What happened last"
_STATES, _FIGURES = "Payments by state", "Numbers of the last 24 hours"


def _read() -> Overview:
    caller = operator()
    return watching.read("overview", lambda: live.overview(caller), picture=_picture)


def _picture(of: Overview) -> watching.Picture:
    """Browsers draw numbers, rows and what happened; what is empty has words of its own."""
    names = services().catalogue
    causes, states = matters.rows(names, of.attention), view.by_state(of)
    rows, items = view.under_way(names, of), view.recent(of)
    told = {
        "states": widget.table_data(states, view.STATES_COLUMNS, _STATES),
        "figures": widget.figures_data(view.figures(of), _FIGURES),
        "attention": widget.table_data(causes, matters.COLUMNS, _ATTENTION),
        "under_way": widget.table_data(rows, view.UNDER_WAY_COLUMNS, _UNDER_WAY),
        "recent": widget.timeline_data(items, _RECENT),
    }
    return watching.Picture(told, (bool(causes), bool(states), bool(rows), bool(items)))


@living.part(watched=True)
def figures() -> None:
    """The row of numbers, each with its hours and against the day before."""
    with notices.in_words():
        widget.figures(view.figures(_read()), "figures", _FIGURES)


@living.part(watched=True)
def attention() -> None:
    """What needs a person, one click from its remedy."""
    st.header("Needs attention")
    with notices.in_words():
        causes = _read().attention
        if not causes:
            st.success("Nothing needs a person now.", icon=":material/check_circle:")
            return
        rows = matters.rows(services().catalogue, causes)
        widget.table(rows, matters.COLUMNS, "attention", _ATTENTION)


@living.part(watched=True)
def states() -> None:
    """How many payments there are in each state."""
    st.header("Payments by state")
    with notices.in_words():
        rows = view.by_state(_read())
        if not rows:
            notices.empty("No payments yet", "Make the first one, or ask what one would cost.")
            return
        widget.table(rows, view.STATES_COLUMNS, "states", _STATES)


@living.part(watched=True)
def under_way() -> None:
    """Where the money is that is neither the payer's nor the recipient's now."""
    st.header("Money under way")
    with notices.in_words():
        rows = view.under_way(services().catalogue, _read())
        if not rows:
            st.markdown("No money is under way.")
            return
        widget.table(rows, view.UNDER_WAY_COLUMNS, "under_way", _UNDER_WAY)


@living.part(watched=True, rest=CHART_REST_SECONDS)
def hours() -> None:
    """What was completed in each of the last 24 hours."""
    st.header("The last 24 hours")
    caller = operator()
    with notices.in_words():
        found = watching.read("the last hours", lambda: view.hours(live.overview(caller)))
        if not any(completed for _, completed, _ in found):
            st.markdown("Nothing was completed in the last 24 hours.")
            return
        chart(charts.hourly(found, shade()), 240, "hourly", "Completed payments by the hour")


@living.part(watched=True)
def recent() -> None:
    """What happened last."""
    st.header("Just now")
    with notices.in_words():
        items = view.recent(_read())
        if not items:
            st.markdown("Nothing has happened yet. What happens shows here by itself.")
        widget.timeline(items, "recent", _RECENT)
