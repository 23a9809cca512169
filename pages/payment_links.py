"""Payment links: the list and the form of a new link."""

import streamlit as st

from crossway.dashboard.components import notices, payment_links

st.title("Payment links")
payment_links.link_list(st.query_params.get("after") or "")
with notices.show_errors():
    payment_links.new_link_form()
