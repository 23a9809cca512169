"""Secrets that are shown once, to the session that created them, until they are dismissed."""

import streamlit as st

from crossway.dashboard.components.notices import escape_markdown

_PENDING = "secret_once"


def show_once(title: str, secret: str, advice: str) -> None:
    """Show a new secret from the next rerun on."""
    st.session_state[_PENDING] = (title, secret, advice)


def pending_secret() -> None:
    """The last new secret, until it is dismissed; it is never shown again."""
    if _PENDING not in st.session_state:
        return
    title, secret, advice = st.session_state[_PENDING]
    with st.container(border=True, key="secret_once"):
        st.subheader(escape_markdown(title))
        st.markdown(f"Shown **once**. {escape_markdown(advice)}")
        st.code(secret, language=None, wrap_lines=True)
        st.button("I have saved it", icon=":material/done:", type="primary", on_click=_forget)


def _forget() -> None:
    del st.session_state[_PENDING]
