"""Pagination by cursor; changing a list's filters returns to its first page."""

from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st

from crossway.dashboard.session import current_mode


def cursor(name: str, filters: Hashable) -> Any:
    """The cursor at which the current page begins, as `page_buttons` got it; None on the first
    page, which a list of the other mode, or in another order, begins with too."""
    filters = (current_mode(), filters)
    if st.session_state.get(f"{name}_asked") != filters:
        st.session_state[f"{name}_asked"] = filters
        st.session_state[f"{name}_pages"] = []
    pages: list[object] = st.session_state[f"{name}_pages"]
    return pages[-1] if pages else None


def place(name: str, older_than: object) -> str:
    """The page number as a suffix for a count; empty if there is only one page."""
    pages: list[object] = st.session_state[f"{name}_pages"]
    return f", page {len(pages) + 1}" if pages or older_than else ""


def page_number(name: str) -> int:
    """The page number from 1 on; call `cursor` first."""
    return len(st.session_state[f"{name}_pages"]) + 1


def button_labels(newest_first: bool) -> tuple[str, str]:
    """The labels of the buttons to the next and the previous page of a list in some order."""
    return ("Older", "Newer") if newest_first else ("Next", "Previous")


def page_buttons(
    name: str,
    older_than: object,
    older: str = "Older",
    next_page_cursor: Callable[[], object] | None = None,
    newer: str = "Newer",
) -> None:
    """The buttons to the previous and next page.

    `next_page_cursor` returns the cursor when the button is pressed, where rows may have moved
    since the page was read.
    """
    pages: list[object] = st.session_state[f"{name}_pages"]

    def on() -> None:
        next_cursor = older_than if next_page_cursor is None else next_page_cursor()
        if next_cursor:
            pages.append(next_cursor)

    with st.container(horizontal=True, gap="small"):
        if pages:
            st.button(
                newer,
                icon=":material/arrow_back:",
                on_click=_back,
                args=(pages,),
                key=f"{name}_new",
            )
        if older_than:
            st.button(older, icon=":material/arrow_forward:", key=f"{name}_old", on_click=on)


def _back(pages: list[object]) -> None:
    pages.pop()
