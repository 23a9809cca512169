"""Routes: which bridge goes where."""

import streamlit as st

from crossway.dashboard import charts
from crossway.dashboard.components import notices, switches, widget
from crossway.dashboard.components.charting import chart, shade
from crossway.dashboard.components.filters import chain_select
from crossway.dashboard.session import services
from crossway.dashboard.views import routes

st.title("Routes")
with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
    networks = ["Mainnets", "Test networks"]
    network = st.segmented_control(
        "Network", networks, key="network", default=networks[0], required=True, bind="query-params"
    )
    source = chain_select("From chain", "route_from")
    destination = chain_select("To chain", "route_to")
    bridges = st.pills(
        "Bridges", routes.BRIDGES, selection_mode="multi", key="bridges", bind="query-params"
    )


def picture() -> None:
    matrix = routes.matrix(services().catalogue, shown)
    height = 110 + 30 * len(matrix.names)
    left, right = st.columns(2, gap="large")
    with left:
        st.header("Bridges by pair")
        st.caption("From the chain at the left to the chain below.")
        words = f"How many bridges serve each pair of {len(matrix.names)} chains"
        chart(charts.matrix(matrix, shade()), height, "matrix", words)
    with right:
        st.header("Who is joined")
        st.caption("A ribbon joins two chains that some bridge serves.")
        links = routes.links(services().catalogue, shown)
        words = f"{len(links)} pairs of chains are joined"
        chart(charts.chord(links, shade()), height, "chord", words)


with notices.in_words():
    every = routes.every(services(), testnets=network == networks[1])
    shown = routes.chosen(every, source, destination, bridges)
    if not shown:
        notices.empty("No route matches", "Take a filter away.", "link_off")
    else:
        pairs = routes.rows(services().catalogue, shown, routes.closed(services()))
        on = sum(route.enabled for route in shown)
        st.caption(f"{on:,} of {len(shown):,} routes are open, between {len(pairs):,} pairs.")
        picture()
        with st.expander("Every pair", icon=":material/table_rows:", expanded=bool(source)):
            widget.table(pairs, routes.COLUMNS, "pairs", "Routes by pair")
st.header("Switched off")
switches.listed()
with st.expander("Switch a route off", icon=":material/power_off:"):
    switches.route_off()
