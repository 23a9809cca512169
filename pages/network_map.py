"""Network map: chains, bridges and payments under way."""

import streamlit as st

from crossway.dashboard.components import network_map, notices

st.title("Network map")
with notices.show_errors():
    network_map.network_map(*network_map.filters())
