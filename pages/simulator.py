"""Simulator: demo month, clock, faults and deposits of the simulated network, its providers."""

import streamlit as st

from crossway.dashboard.components import demo, notices, ramp_sandbox
from crossway.dashboard.components import simulator as parts
from crossway.dashboard.components.widget import ways
from crossway.dashboard.session import services
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link


def everything() -> None:
    """What can be done to the simulated network."""
    st.markdown("Everything on this page acts on the simulated network only. No real money moves.")
    ways(
        (Way("Tell the guided story", link("story"), "auto_stories"),), "to_story", width="content"
    )
    st.header("What is on now")
    parts.now()
    st.header("Demo month")
    demo.month()
    left, right = st.columns(2, gap="large")
    with left:
        st.header("Clock")
        parts.clock()
        st.header("Deposit")
        parts.deposit()
    with right:
        st.header("Faults of a chain")
        parts.faults()
        st.header("What an address holds")
        parts.holdings()
    st.header("Ramp providers")
    left, right = st.columns(2, gap="large")
    with left:
        ramp_sandbox.behaviour()
    with right:
        st.subheader("Identity of a person")
        ramp_sandbox.standing()


st.title("Simulator")
if services().sandbox is None:
    notices.empty("This is a live network", "There is nothing to simulate here.", "public")
else:
    everything()
