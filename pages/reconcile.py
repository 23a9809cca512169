"""Reconcile: compare the books with the chains; differences with causes and next steps."""

import streamlit as st

from crossway.dashboard.components import reconcile, widget
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

st.title("Reconcile")
st.markdown(
    "Compares the books with on-chain balances: deposit addresses, collecting accounts, the "
    "relayer's inventory, the treasury, and the transactions of Crossway's own accounts."
)
reconcile.start_button()
if st.query_params.get("run"):
    widget.link_buttons(
        (LinkButton("Latest run", page_href("reconcile"), "update"),), "newest", "content"
    )
reconcile.result()
st.header("Previous runs")
reconcile.history()
