"""Profit and loss: revenue, costs and result of a period, with statements and the journal."""

import streamlit as st

from crossway.dashboard.components import profit
from crossway.dashboard.views.profit import NETWORKS

st.title("Profit and loss")
st.markdown(
    "From the ledger alone, each posting at the price of its hour. Open payments appear once they "
    "earn or cost something."
)
network = st.segmented_control(
    "Network", NETWORKS, key="network", default=NETWORKS[0], required=True, bind="query-params"
)
days = profit.period()
profit.report(days, network == NETWORKS[1])
profit.files(days, network)
