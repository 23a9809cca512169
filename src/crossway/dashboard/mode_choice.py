"""Choosing the mode: by its switch, by a button, or by the URL of a filtered list, which opens in
the mode it was made in."""

import streamlit as st

from crossway.dashboard.session import MODE_KEY, current_mode
from crossway.dashboard.views.links import MODE_PARAM
from crossway.domain.clients import Mode

_CHOSEN = "mode_was_chosen"


def switch_mode(mode: Mode) -> None:
    """Show another mode from now on; for the callback of a button."""
    st.session_state[MODE_KEY] = mode
    mode_was_chosen()


def mode_was_chosen() -> None:
    """Note that the mode is a choice, which the browser is to remember."""
    st.session_state[_CHOSEN] = True
    if MODE_PARAM in st.query_params:
        keep_mode()


def chosen_mode() -> Mode | None:
    """The mode if it was chosen in this session."""
    return current_mode() if st.session_state.get(_CHOSEN) else None


def keep_mode() -> None:
    """Have the URL name the mode; for the callback of a filter. Set while a page is drawn, it would
    be a step of the browser's history that nobody has made."""
    st.query_params[MODE_PARAM] = current_mode().value


def follow_mode() -> None:
    """Show the mode that the URL names, before its switch is drawn; not remembered as a choice."""
    linked = st.query_params.get(MODE_PARAM)
    if linked in tuple(Mode) and linked != current_mode():
        st.session_state[MODE_KEY] = Mode(str(linked))
