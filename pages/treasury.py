"""Treasury: what the relayer has, what is reserved and expected back, and what is short."""

import streamlit as st

from crossway.dashboard.components import treasury

st.title("Treasury")
networks = ["Mainnets", "Test networks"]
network = st.segmented_control(
    "Network", networks, key="network", default=networks[0], required=True, bind="query-params"
)
testnets = network == networks[1]
treasury.stock(testnets)
st.header("Rebalancing")
treasury.moves(testnets)
with st.expander("Set a target", icon=":material/flag:"):
    treasury.targets()
st.header("Claims open with bridges")
treasury.claims(testnets)
st.header("What price moves could cost")
treasury.exposed(testnets)
st.header("Gas")
treasury.gas(testnets)
