"""Guided tour: one payment from quote to refund, to demonstrate Crossway."""

import streamlit as st

from crossway.dashboard.components import guided, notices
from crossway.dashboard.session import services


def tour() -> None:
    """The tour, chapter by chapter."""
    st.markdown(
        "One payment from quote to refund in the simulated environment. Every step runs the real "
        "engine. No real money moves."
    )
    guided.chapters()


st.title("Guided tour")
if services().sandbox is None:
    notices.empty_state(
        "This is the live environment", "The tour runs with simulated money only.", "public"
    )
else:
    tour()
