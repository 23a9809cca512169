"""Overview: is everything all right, and what needs a person?"""

import streamlit as st

from crossway.dashboard.components import keys, overview, widget
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
overview.figures()
overview.attention()
left, right = st.columns([3, 2], gap="large")
with left:
    overview.states()
    overview.under_way()
    overview.hours()
with right:
    overview.recent()
