"""Overview: KPIs, alerts that need attention, payments by status and recent activity."""

import streamlit as st

from crossway.dashboard.components import keys, overview, widget
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

with st.container(horizontal=True, vertical_alignment="bottom"):
    st.title("Overview", width="stretch")
    buttons = (
        LinkButton("Compare quotes", page_href("quotes"), "price_check"),
        LinkButton("New payment", page_href("new_intent"), "add_circle", primary=True),
    )
    widget.link_buttons(buttons, "overview_ways", width="content")
keys.first_keys_notice()
overview.kpis()
overview.attention()
left, right = st.columns([3, 2], gap="large")
with left:
    overview.states()
    overview.in_transit()
    overview.hourly_chart()
with right:
    overview.recent()
