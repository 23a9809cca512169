"""Treasury: the relayer's inventory, shortages, rebalancing, open repayments, exposure and gas."""

import streamlit as st

from crossway.dashboard.components import treasury

st.title("Treasury")
NETWORKS = ("Mainnets", "Testnets")
network = st.segmented_control(
    "Network", NETWORKS, key="network", default=NETWORKS[0], required=True, bind="query-params"
)
testnets = network == NETWORKS[1]
treasury.inventory_overview(testnets)
st.header("Rebalancing")
treasury.rebalancing_suggestions(testnets)
with st.expander("Set a target", icon=":material/flag:"):
    treasury.targets()
st.header("Inventory at bridges")
treasury.inventory_at_bridges(testnets)
st.header("Open repayments from escrow")
treasury.claims(testnets)
st.header("Price exposure")
treasury.exposure_table(testnets)
st.header("Returns at our cost")
treasury.return_budgets(testnets)
st.header("Gas")
treasury.gas(testnets)
