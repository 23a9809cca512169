"""Turning the pages of a list by key; a list that is asked otherwise starts at its newest."""

from collections.abc import Callable, Hashable

import streamlit as st


def before(name: str, asked: Hashable) -> int | None:
    """Below which number this page of a list begins; None on the first."""
    if st.session_state.get(f"{name}_asked") != asked:
        st.session_state[f"{name}_asked"] = asked
        st.session_state[f"{name}_pages"] = []
    pages: list[int] = st.session_state[f"{name}_pages"]
    return pages[-1] if pages else None


def place(name: str, older_than: int | None) -> str:
    """Which page this is, for behind a count; empty where there is but one."""
    pages: list[int] = st.session_state[f"{name}_pages"]
    return f", page {len(pages) + 1}" if pages or older_than else ""


def number(name: str) -> int:
    """Which page this is, from 1 on; `before` was asked first."""
    return len(st.session_state[f"{name}_pages"]) + 1


def turn(
    name: str,
    older_than: int | None,
    older: str = "Older",
    now: Callable[[], int | None] | None = None,
    newer: str = "Newer",
) -> None:
    """The buttons to the pages before and behind this one; `now` answers where the next one starts
    when the button is pressed, if rows may have moved on since it was drawn."""
    pages: list[int] = st.session_state[f"{name}_pages"]

    def on() -> None:
        place = older_than if now is None else now()
        if place:
            pages.append(place)

    with st.container(horizontal=True, gap="small"):
        if pages:
            st.button(newer, icon=":material/arrow_back:", on_click=_back, args=(pages,),
                      key=f"{name}_new")  # fmt: skip
        if older_than:
            st.button(older, icon=":material/arrow_forward:", key=f"{name}_old", on_click=on)


def _back(pages: list[int]) -> None:
    pages.pop()
