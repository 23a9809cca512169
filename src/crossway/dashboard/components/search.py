"""Searching for a text that somebody has entered: any identifier opens what it names."""

import streamlit as st

from crossway.dashboard.components.navigation import open_href
from crossway.dashboard.components.notices import escape_markdown, show_errors
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import search

KEY, EMAIL = "find_text", "find_email"
_WIDTH = 560


def search_form() -> None:
    """The field of the page Search."""
    with (
        st.form("find", border=False, clear_on_submit=False, width=_WIDTH),
        st.container(horizontal=True, gap="small", vertical_alignment="bottom"),
    ):
        text = st.text_input(
            "ID, address, hash, e-mail or reference", key=KEY, icon=":material/search:"
        )
        submitted = st.form_submit_button("Search")
    with show_errors():
        if submitted and text.strip() and not open_match(text):
            message = escape_markdown(f"No results for “{abbreviate(text)}”.")
            st.warning(f"{message} {search.SEARCH_HELP}", icon=":material/search_off:")


def open_match(text: str) -> bool:
    """Open what a text names: its only match, or the page of all results; false without any."""
    results = search.resolve(services(), operator(), text)
    if results is None:
        return False
    if results.email:
        st.session_state["email"] = st.session_state[EMAIL] = results.email
    open_href(results.href)


def abbreviate(text: str) -> str:
    """A search text, shortened for a sentence."""
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:60]}…{text[-10:]}"
