"""The search box of every page: any identifier opens what it names."""

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.components.navigation import open_href
from crossway.dashboard.components.notices import escape_markdown, show_errors
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import search

KEY, EMAIL = "find_text", "find_email"
_WIDTH = 440


def search_box() -> None:
    """The search box; the key `/` focuses it."""
    # One container, as the frame puts gaps between its children.
    with st.container(width=_WIDTH, gap="xsmall"):
        with (
            st.form("find", border=False, clear_on_submit=False),
            st.container(horizontal=True, gap="small", vertical_alignment="bottom"),
        ):
            text = st.text_input(
                "Search: ID, address, hash, e-mail or reference",
                key=KEY,
                label_visibility="collapsed",
                placeholder="Search: ID, address, hash, e-mail, reference  ( / )",
                icon=":material/search:",
            )
            submitted = st.form_submit_button("Search")
        widget.shortcut("/", KEY)
        if submitted and text.strip():
            _search(text)


def _search(text: str) -> None:
    with show_errors():
        results = search.resolve(services(), operator(), text)
        if results is None:
            message = f"No results for “{abbreviate(text)}”."
            st.warning(
                f"{escape_markdown(message)} {search.SEARCH_HELP}", icon=":material/search_off:"
            )
            return
        if results.email:
            st.session_state["email"] = st.session_state[EMAIL] = results.email
        open_href(results.href)


def abbreviate(text: str) -> str:
    """A search text, shortened for a sentence."""
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:60]}…{text[-10:]}"
