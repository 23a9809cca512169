"""The page scripts, and navigation from one page to another."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.views.links import intent_href, page_href

FOLDER: Final = Path(__file__).parents[4] / "pages"
# The page that the latest whole run of this session drew.
SHOWN_PAGE: Final = "shown_page"
_NAVIGATION = "leaving_for"
# After this time the current page is drawn instead of waiting for the browser to leave.
_TIMEOUT_SECONDS = 10.0


@dataclass(slots=True)
class _Navigation:
    """A navigation in progress: the target, and once the browser was told, the start and time."""

    href: str
    once: str
    start: tuple[str, dict[str, str]] | None = None
    told_at: float = 0.0


def page_path(name: str) -> str:
    """The path of a page's script, as `st.navigation` expects it."""
    return str(FOLDER / f"{name}.py")


def open_intent(intent_id: int | str) -> NoReturn:
    """Go to a payment's page."""
    open_href(intent_href(intent_id))


def open_page(name: str, **query: str) -> NoReturn:
    """Go to another page with query parameters."""
    open_href(page_href(name, **query))


def open_href(href: str) -> NoReturn:
    """Go to a link's target."""
    st.session_state[_NAVIGATION] = _Navigation(href, uuid4().hex)
    st.rerun()


def continue_navigation(here: str) -> bool:
    """Continue a requested navigation; whether the browser is leaving, so that nothing is drawn.

    `here` is the path of the page that the browser shows.

    The browser navigates by itself, as with its Back button, and first stops the timers of the
    fragments it leaves. With `st.switch_page` one of them can still request its old page, and the
    response empties the new one. The run is not stopped either: that would keep the old page's
    fragments, which would then draw into a page that has no place for them.

    The browser is told again in each run until it has left: what a run sends is discarded when the
    next run begins at once, as it does when something on the page has just changed.
    """
    navigation: _Navigation | None = st.session_state.get(_NAVIGATION)
    if navigation is None:
        return False
    current = here, st.query_params.to_dict()
    if navigation.start is None:
        navigation.start, navigation.told_at = current, time.monotonic()
    too_late = time.monotonic() - navigation.told_at > _TIMEOUT_SECONDS
    if current != navigation.start or current == _location(navigation.href) or too_late:
        del st.session_state[_NAVIGATION]
        return False
    widget.navigate(navigation.href, navigation.once)
    return True


def _location(href: str) -> tuple[str, dict[str, str]]:
    parts = urlsplit(href)
    return parts.path, dict(parse_qsl(parts.query))
