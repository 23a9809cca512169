"""Routes: where money flows and what it costs, how bridges answer, switches."""

import streamlit as st

from crossway.dashboard.components import notices, routes, switches
from crossway.dashboard.views import corridors as view

st.title("Routes")
with notices.in_words():
    routes.apply_choice()
    asked = routes.filters()
    every = routes.every(asked)
    shown = view.chosen(every, asked.source, asked.destination, asked.bridges)
    off = switches.known()
    picked = view.found(every, st.query_params.get("corridor"))
    if picked is not None:
        routes.one(asked, picked, off)
    if not shown:
        notices.empty("No route matches", "Take a filter away.", "link_off")
    else:
        on = sum(corridor.route.enabled for corridor in shown)
        pairs = {(c.route.source, c.route.destination) for c in shown}
        st.caption(f"{on:,} of {len(shown):,} routes are open, between {len(pairs):,} pairs.")
        routes.pictures(asked, shown)
        st.header("Corridors")
        routes.table(shown)
    st.header("Bridges")
    routes.bridges(asked)
st.header("Switched off")
switches.listed()
with st.expander("Switch a whole bridge off", icon=":material/power_off:"):
    switches.bridge_off()
