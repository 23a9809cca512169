"""Overview: is everything all right, and what needs a person?"""

import streamlit as st

from crossway.dashboard import charts, live
from crossway.dashboard.components import keys, living, notices, widget
from crossway.dashboard.components.charting import chart, shade
from crossway.dashboard.views import overview
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link

with st.container(horizontal=True, vertical_alignment="bottom"):
    st.title("Overview", width="stretch")
    ways = (
        Way("Compare quotes", link("quotes"), "price_check"),
        Way("New payment", link("new_intent"), "add_circle", main=True),
    )
    widget.ways(ways, "overview_ways", width="content")
keys.first_run()


@living.part()
def figures() -> None:
    with notices.in_words(), st.grid(6, min_column_width=140, gap="small"):
        for figure in overview.figures(live.overview()):
            st.metric(figure.label, figure.value, help=figure.help, border=True, height="stretch")


@living.part()
def attention() -> None:
    with notices.in_words():
        rows = overview.attention(live.overview().attention)
        if not rows:
            st.success("Nothing needs a person now.", icon=":material/check_circle:")
            return
        widget.table(rows, overview.ATTENTION_COLUMNS, "attention", "To be looked at")


@living.part()
def states() -> None:
    with notices.in_words():
        counts = overview.by_state(live.overview())
        if not any(count for _, count in counts):
            notices.empty("No payments yet", "Make the first one, or ask what one would cost.")
            return
        words = ", ".join(f"{chip.text} {count}" for chip, count in counts)
        chart(charts.states_bar(counts, shade()), 210, "states", words)


@living.part()
def hours() -> None:
    with notices.in_words():
        found = live.overview().hourly
        if not any(completed for _, completed, _ in found):
            st.markdown("Nothing was completed in the last 24 hours.")
            return
        chart(charts.hourly(found, shade()), 240, "hourly", "Completed payments by the hour")


@living.part()
def recent() -> None:
    with notices.in_words():
        items = overview.recent(live.overview())
        if not items:
            st.markdown("Nothing has happened yet. What happens shows here by itself.")
        widget.timeline(items, "recent", "What happened last")


figures()
st.header("Needs attention")
attention()
left, right = st.columns([3, 2], gap="large")
with left:
    st.header("Payments by state")
    states()
    st.header("The last 24 hours")
    hours()
with right:
    st.header("Just now")
    recent()
