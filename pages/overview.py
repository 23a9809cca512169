"""Overview: KPIs of a period, alerts that need attention, payments by status and activity."""

import streamlit as st

from crossway.dashboard.components import demo, first_view, keys, overview, widget
from crossway.dashboard.session import services
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.first_view import is_empty
from crossway.dashboard.views.links import page_href


def first() -> None:
    """The overview before the first payment."""
    st.title("Overview")
    first_view.first_view()
    keys.first_keys_notice()
    overview.attention({})


def figures() -> None:
    """The overview of an installation with payments."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.title("Overview", width="stretch")
        buttons = (
            LinkButton("Compare quotes", page_href("quotes"), "price_check"),
            LinkButton("New payment", page_href("new_intent"), "add_circle", primary=True),
        )
        widget.link_buttons(buttons, "overview_ways", width="content")
    demo.progress()
    keys.first_keys_notice()
    period = overview.period()
    overview.kpis(period)
    overview.attention(period)
    left, right = st.columns([3, 2], gap="large")
    with left:
        overview.states(period)
        overview.in_transit(period)
        overview.completed_chart(period)
    with right:
        overview.recent(period)


if is_empty(services()):
    first()
else:
    figures()
