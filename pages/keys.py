"""API keys and the merchants they belong to."""

import streamlit as st

from crossway.dashboard.components import clients, keys, notices, one_time_secrets, widget
from crossway.dashboard.session import services
from crossway.dashboard.views import clients as client_view
from crossway.dashboard.views import keys as view

st.title("API keys")
one_time_secrets.pending_secret()
selection = st.segmented_control(
    "Show",
    [view.ACTIVE, view.INACTIVE],
    key="show",
    default=view.ACTIVE,
    required=True,
    label_visibility="collapsed",
    bind="query-params",
)
keys.key_table(selection == view.INACTIVE, None, "keys")
with st.expander("New API key", icon=":material/add:", key="new_key_fold", expanded=True):
    keys.new_key()
st.header("Merchants")
with notices.show_errors():
    widget.table(client_view.build_rows(services()), client_view.COLUMNS, "clients", "Merchants")
with st.expander("New merchant", icon=":material/add:", key="new_client_fold"):
    clients.new_client()
