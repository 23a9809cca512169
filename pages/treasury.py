"""Treasury: the relayer's inventory, shortages, rebalancing, open repayments, exposure and gas."""

import streamlit as st

from crossway.dashboard.components import (
    lacking_inventory,
    money_in_bridges,
    outgoing_controls,
    rebalancing,
    rebalancing_dry_run,
    rebalancing_policies,
    treasury,
)

st.title("Treasury")
NETWORKS = ("Mainnets", "Testnets")
network = st.segmented_control(
    "Network", NETWORKS, key="network", default=NETWORKS[0], required=True, bind="query-params"
)
testnets = network == NETWORKS[1]
lacking_inventory.focus()
treasury.inventory_overview(testnets)
st.header("Rebalancing")
rebalancing.switch()
rebalancing.approvals(testnets)
rebalancing.suggestions(testnets)
st.subheader("On the way")
rebalancing.on_the_way(testnets)
by_location, limits, cost, ended, dry_run = st.tabs(
    ["Policies", "Limits", "Cost", "Ended", "Dry run"]
)
with by_location:
    rebalancing_policies.policies(testnets)
    with st.expander("Set a policy", icon=":material/rule:"):
        rebalancing_policies.policy_form(testnets)
with limits:
    rebalancing_policies.limits()
with cost:
    rebalancing.costs()
with ended:
    rebalancing.ended(testnets)
with dry_run:
    rebalancing_dry_run.section(testnets)
with st.expander("Move by hand", icon=":material/route:"):
    rebalancing_policies.by_hand(testnets)
with st.expander("Set a target", icon=":material/flag:"):
    treasury.targets()
outgoing_controls.sections()
st.header("Money in bridges")
money_in_bridges.table(testnets)
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
