"""Simulator: demo data, clock, faults of chains and bridges, deposits, ramp providers."""

import streamlit as st

from crossway.dashboard.components import bridge_sandbox, demo, first_view, notices, ramp_sandbox
from crossway.dashboard.components import simulator as parts
from crossway.dashboard.session import services


def controls() -> None:
    """All controls of the simulated environment."""
    st.markdown(
        "Everything on this page affects the simulated environment only. No real money moves."
    )
    left, right = st.columns(2, gap="large")
    with left:
        first_view.story_button("to_story")
    with right:
        first_view.test_payment_button("to_payment")
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
