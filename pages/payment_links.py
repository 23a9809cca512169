"""Payment links: the list and the form of a new link."""

import streamlit as st

from crossway.dashboard.components import merchants, notices, payment_links

st.title("Payment links")
merchant = merchants.merchant_filter(resets="after")
payment_links.link_list(st.query_params.get("after") or "", merchant)
with notices.show_errors():
    payment_links.new_link_form()
