"""The keys of the first run: shown once, to whoever opens the dashboard first."""

import streamlit as st

from crossway.dashboard.session import first_keys, forget_first_keys


def first_run() -> None:
    """The first keys until they are put away; nothing ever after."""
    found = first_keys()
    if not found:
        return
    with st.container(border=True, key="first_keys"):
        st.subheader("Your API keys")
        st.markdown("Shown **once**: only their hash is stored. Copy them into a secret store now.")
        for mode, secret in found.items():
            st.markdown(f"**{str(mode).capitalize()} key**")
            st.code(secret, language=None)
        st.button(
            "I have saved them", icon=":material/done:", type="primary", on_click=forget_first_keys
        )
