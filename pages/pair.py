"""The bridges from one chain to another, side by side over time."""

import streamlit as st

from crossway.dashboard.components import notices, pair

st.title("Bridges of a pair")
with notices.show_errors():
    source, destination, window = pair.filters()
    if source and destination:
        pair.comparison(source, destination, window)
    else:
        notices.empty_state(
            "Choose two chains",
            "Their bridges are compared here. A click on a line of the network map opens its pair.",
            "compare_arrows",
        )
