"""Standing addresses: the list, what came to all of them, and the form of a new one."""

import streamlit as st

from crossway.dashboard.components import merchants, notices, standing

st.title("Standing addresses")
merchant = merchants.merchant_filter(resets="after")
standing.address_list(st.query_params.get("after") or "", merchant)
with notices.show_errors():
    standing.new_address_form()
st.header("Deposits")
standing.deposit_list()
