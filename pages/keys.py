"""API keys: those of all merchants, and a form for a new one."""

import streamlit as st

from crossway.dashboard.components import keys, one_time_secrets, widget
from crossway.dashboard.views import keys as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

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
buttons = (LinkButton("Merchants", page_href("merchants"), "storefront"),)
widget.link_buttons(buttons, "key_list_ways", width="content")
