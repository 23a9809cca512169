"""Keys: the API keys and the clients they belong to."""

import streamlit as st

from crossway.dashboard.components import clients, keys, notices, secrets, widget
from crossway.dashboard.session import services
from crossway.dashboard.views import clients as client_view
from crossway.dashboard.views import keys as view

st.title("API keys")
secrets.shown()
shown = st.segmented_control(
    "Show", [view.IN_USE, view.ENDED], key="show", default=view.IN_USE, required=True,
    label_visibility="collapsed", bind="query-params",
)  # fmt: skip
keys.table(shown == view.ENDED, None, "keys")
with st.expander("New key", icon=":material/add:", key="new_key_fold", expanded=True):
    keys.new_key()
st.header("Clients")
with notices.in_words():
    widget.table(client_view.rows(services()), client_view.COLUMNS, "clients", "Clients")
with st.expander("New client", icon=":material/add:", key="new_client_fold"):
    clients.new_client()
