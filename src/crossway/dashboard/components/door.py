"""The door: the password that operators give before they see anything."""

import streamlit as st

from crossway.dashboard.session import locked, unlock


def door() -> None:
    """Draw nothing but the question for the password until it was answered."""
    if not locked():
        return
    st.title("Crossway")
    with st.form("door"):
        typed = st.text_input("Password", type="password")
        if st.form_submit_button("Sign in", type="primary"):
            if unlock(typed):
                st.rerun()
            st.error("That is not the password.")
    st.stop()
