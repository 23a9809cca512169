"""The scripts of the screens, and the way from one screen to another."""

from pathlib import Path
from typing import Final, NoReturn
from uuid import uuid4

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.views.links import intent_href, link

FOLDER: Final = Path(__file__).parents[3] / "pages"
_LEAVING = "leaving_for"


def page(name: str) -> str:
    """The script of a screen, as Streamlit's navigation names it."""
    return str(FOLDER / f"{name}.py")


def open_intent(intent_id: int | str) -> NoReturn:
    """Leave for one payment's screen."""
    open_href(intent_href(intent_id))


def open_page(name: str, **query: str) -> NoReturn:
    """Leave for another screen, with what it is to start from."""
    open_href(link(name, **query))


def open_href(href: str) -> NoReturn:
    """Leave for the screen of a link."""
    st.session_state[_LEAVING] = (href, uuid4().hex)
    st.rerun()


def leave() -> None:
    """Go where the last run was asked to go; the frame calls this before it draws anything.

    The browser goes there by itself, as if its Back button had been pressed: it first stops the
    clocks of the fragments it leaves. With `st.switch_page` one of them can still ask for its old
    page, and the answer to that empties the new one.
    """
    if _LEAVING in st.session_state:
        href, once = st.session_state.pop(_LEAVING)
        widget.leave(href, once)
        st.stop()
