"""Guided story: one payment from its quote to its refund, for whoever shows what Crossway does."""

import streamlit as st

from crossway.dashboard.components import guided, notices
from crossway.dashboard.session import services


def told() -> None:
    """The story, chapter by chapter."""
    st.markdown(
        "One payment from the first question to the last unit, on the simulated network: each step "
        "does the real thing. No real money moves."
    )
    guided.chapters()


st.title("Guided story")
if services().sandbox is None:
    notices.empty("This is a live network", "The story is told with simulated money.", "public")
else:
    told()
