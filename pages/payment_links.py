"""Payment links: every link that payers can pay by, and the form of a new one."""

import streamlit as st

from crossway.dashboard.components import notices, payment_links

st.title("Payment links")
payment_links.listed(st.query_params.get("after") or "")
with notices.in_words():
    payment_links.new_link_fold()
