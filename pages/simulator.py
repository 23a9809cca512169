"""Simulator: demo data, clock, faults of chains and bridges, deposits, ramp providers."""

import streamlit as st

from crossway.dashboard.components import bridge_sandbox, demo, notices, ramp_sandbox
from crossway.dashboard.components import simulator as parts
from crossway.dashboard.components.widget import link_buttons
from crossway.dashboard.session import services
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href


def controls() -> None:
    """All controls of the simulated environment."""
    st.markdown(
        "Everything on this page affects the simulated environment only. No real money moves."
    )
    link_buttons(
        (LinkButton("Start the guided tour", page_href("guided_tour"), "auto_stories"),),
        "to_tour",
        width="content",
    )
    st.header("Active faults")
    parts.active_faults()
    st.header("Demo data")
    demo.demo_dataset()
    left, right = st.columns(2, gap="large")
    with left:
        st.header("Clock")
        parts.clock()
        st.header("Deposit")
        parts.deposit()
    with right:
        st.header("Chain faults")
        parts.faults()
        st.header("Address balances")
        parts.balances()
    left, right = st.columns(2, gap="large")
    with left:
        st.header("Bridge faults")
        bridge_sandbox.bridge_faults()
    st.header("Ramp providers")
    left, right = st.columns(2, gap="large")
    with left:
        ramp_sandbox.provider_faults()
    with right:
        st.subheader("Customer identity")
        ramp_sandbox.kyc_status()


st.title("Simulator")
if services().sandbox is None:
    notices.empty_state(
        "This is the live environment", "The simulator is not available here.", "public"
    )
else:
    controls()
