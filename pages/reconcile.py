"""Reconcile: are the books what the chains hold? Every difference, and a way on."""

import streamlit as st

from crossway.dashboard.components import reconcile, widget
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link

st.title("Reconcile")
st.markdown(
    "Compares the books with what the chains hold: deposit addresses, collecting accounts, the "
    "relayer's stock, and the transactions of our own accounts."
)
reconcile.begin()
if st.query_params.get("run"):
    widget.ways((Way("The newest comparison", link("reconcile"), "update"),), "newest", "content")
reconcile.result()
st.header("Earlier comparisons")
reconcile.history()
