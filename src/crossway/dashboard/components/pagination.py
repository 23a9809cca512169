"""Pagination by cursor; changing a list's filters returns to its first page."""

from collections.abc import Callable, Hashable

import streamlit as st

from crossway.dashboard.session import current_mode


def cursor(name: str, filters: Hashable) -> int | None:
    """The cursor at which the current page begins; None on the first page, which a list of the
    other mode begins with too."""
    filters = (current_mode(), filters)
    if st.session_state.get(f"{name}_asked") != filters:
        st.session_state[f"{name}_asked"] = filters
        st.session_state[f"{name}_pages"] = []
    pages: list[int] = st.session_state[f"{name}_pages"]
    return pages[-1] if pages else None


def place(name: str, older_than: int | None) -> str:
    """The page number as a suffix for a count; empty if there is only one page."""
    pages: list[int] = st.session_state[f"{name}_pages"]
    return f", page {len(pages) + 1}" if pages or older_than else ""


def page_number(name: str) -> int:
    """The page number from 1 on; call `cursor` first."""
    return len(st.session_state[f"{name}_pages"]) + 1


def page_buttons(
    name: str,
    older_than: int | None,
    older: str = "Older",
    next_page_cursor: Callable[[], int | None] | None = None,
    newer: str = "Newer",
) -> None:
    """The buttons to the previous and next page.

    `next_page_cursor` returns the cursor when the button is pressed, where rows may have moved
    since the page was read.
    """
    pages: list[int] = st.session_state[f"{name}_pages"]

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


def _back(pages: list[int]) -> None:
    pages.pop()
