"""The scripts of the screens, and the way from one screen to another."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.views.links import intent_href, link

FOLDER: Final = Path(__file__).parents[3] / "pages"
_LEAVING = "leaving_for"
# A browser that has not gone by then was not able to; it shows where it is instead of nothing.
_PATIENCE_SECONDS = 10.0


@dataclass(slots=True)
class _Leaving:
    """Where a session goes; from where, and since when by the clock of this machine, once its
    browser was told."""

    href: str
    once: str
    start: tuple[str, dict[str, str]] | None = None
    told_at: float = 0.0


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
    st.session_state[_LEAVING] = _Leaving(href, uuid4().hex)
    st.rerun()


def leave(here: str) -> bool:
    """Go where an earlier run was asked to go, and say whether the browser is on its way: then the
    frame draws nothing. `here` is the path of the screen that the browser shows.

    The browser goes there by itself, as if its Back button had been pressed: it first stops the
    clocks of the fragments it leaves. With `st.switch_page` one of them can still ask for its old
    page, and the answer to that empties the new one. Nor is the run stopped: that would keep the
    fragments of the page it leaves, and one that hears of a change then draws where nothing is.

    It is asked until it has gone. What a run tells the browser is thrown away when the next run
    begins at once, as it does when something on the screen has just changed.
    """
    asked: _Leaving | None = st.session_state.get(_LEAVING)
    if asked is None:
        return False
    place = here, st.query_params.to_dict()
    if asked.start is None:
        asked.start, asked.told_at = place, time.monotonic()
    too_late = time.monotonic() - asked.told_at > _PATIENCE_SECONDS
    if place != asked.start or place == _place(asked.href) or too_late:
        del st.session_state[_LEAVING]
        return False
    widget.leave(asked.href, asked.once)
    return True


def _place(href: str) -> tuple[str, dict[str, str]]:
    parts = urlsplit(href)
    return parts.path, dict(parse_qsl(parts.query))
