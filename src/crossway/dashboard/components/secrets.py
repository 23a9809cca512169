"""Secrets that are shown once: to the session that made them, until it puts them away."""

import streamlit as st

from crossway.dashboard.components.notices import as_text

_KEPT = "secret_once"


def show_once(title: str, secret: str, advice: str) -> None:
    """Have `shown` show a new secret from the next run on."""
    st.session_state[_KEPT] = (title, secret, advice)


def shown() -> None:
    """The last new secret, until it is put away; nothing else ever shows it again."""
    if _KEPT not in st.session_state:
        return
    title, secret, advice = st.session_state[_KEPT]
    with st.container(border=True, key="secret_once"):
        st.subheader(as_text(title))
        st.markdown(f"Shown **once**. {as_text(advice)}")
        st.code(secret, language=None, wrap_lines=True)
        st.button("I have saved it", icon=":material/done:", type="primary", on_click=_forget)


def _forget() -> None:
    del st.session_state[_KEPT]
