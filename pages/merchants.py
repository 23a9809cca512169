"""Merchants: all of them with volume, success and the health of their webhooks."""

import streamlit as st

from crossway.dashboard.components import clients, merchants

st.title("Merchants")
merchants.merchant_list()
with st.expander("New merchant", icon=":material/add:", key="new_client_fold"):
    clients.new_client()
