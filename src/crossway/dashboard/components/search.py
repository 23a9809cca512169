"""The one search box of every screen: any identifier leads to what it names."""

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.components.notices import as_text, in_words
from crossway.dashboard.navigation import open_href
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import finding

KEY, EMAIL = "find_text", "find_email"
_WIDTH = 440


def box() -> None:
    """The box, wherever the frame puts it; `/` on the keyboard goes there."""
    # One part for the frame, which sets its parts apart: the form, its key and its answer.
    with st.container(width=_WIDTH, gap="xsmall"):
        with (
            st.form("find", border=False, clear_on_submit=False),
            st.container(horizontal=True, gap="small", vertical_alignment="bottom"),
        ):
            text = st.text_input(
                "Find anything: number, address, hash, e-mail or reference",
                key=KEY,
                label_visibility="collapsed",
                placeholder="Find: number, address, hash, e-mail, reference  ( / )",
                icon=":material/search:",
            )
            asked = st.form_submit_button("Find")
        widget.shortcut("/", KEY)
        if asked and text.strip():
            _find(text)


def _find(text: str) -> None:
    with in_words():
        found = finding.found(services(), operator(), text)
        if found is None:
            words = f"Nothing is known by “{shown(text)}”."
            st.warning(f"{as_text(words)} {finding.SEARCHED}", icon=":material/search_off:")
            return
        if found.email:
            st.session_state["email"] = st.session_state[EMAIL] = found.email
        open_href(found.href)


def shown(text: str) -> str:
    """What was asked for, short enough for a sentence."""
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:60]}…{text[-10:]}"
