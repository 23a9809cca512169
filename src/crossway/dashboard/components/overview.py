"""The start of a shift in its parts: numbers, what needs a person, money under way, the hours."""

import streamlit as st

from crossway.dashboard import charts, live
from crossway.dashboard.components import notices, widget
from crossway.dashboard.components.charting import chart, shade
from crossway.dashboard.session import services
from crossway.dashboard.views import attention as matters
from crossway.dashboard.views import overview as view


def figures() -> None:
    """The row of numbers, each with its hours and against the day before."""
    widget.figures(view.figures(live.overview()), "figures", "Numbers of the last 24 hours")


def attention() -> None:
    """What needs a person, one click from its remedy."""
    st.header("Needs attention")
    causes = live.overview().attention
    if not causes:
        st.success("Nothing needs a person now.", icon=":material/check_circle:")
        return
    rows = matters.rows(services().catalogue, causes)
    widget.table(rows, matters.COLUMNS, "attention", "To be looked at")


def states() -> None:
    """How many payments there are in each state."""
    st.header("Payments by state")
    counts = view.by_state(live.overview())
    if not any(count for _, count in counts):
        notices.empty("No payments yet", "Make the first one, or ask what one would cost.")
        return
    words = ", ".join(f"{chip.text} {count}" for chip, count in counts)
    chart(charts.states_bar(counts, shade()), 210, "states", words)


def under_way() -> None:
    """Where the money is that is neither the payer's nor the recipient's now."""
    st.header("Money under way")
    rows = view.under_way(services().catalogue, live.overview())
    if not rows:
        st.markdown("No money is under way.")
        return
    widget.table(rows, view.UNDER_WAY_COLUMNS, "under_way", "Money under way")


def hours() -> None:
    """What was completed in each of the last 24 hours."""
    st.header("The last 24 hours")
    found = view.hours(live.overview())
    if not any(completed for _, completed, _ in found):
        st.markdown("Nothing was completed in the last 24 hours.")
        return
    chart(charts.hourly(found, shade()), 240, "hourly", "Completed payments by the hour")


def recent() -> None:
    """What happened last."""
    st.header("Just now")
    items = view.recent(live.overview())
    if not items:
        st.markdown("Nothing has happened yet. What happens shows here by itself.")
    widget.timeline(items, "recent", "What happened last")
