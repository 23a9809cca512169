"""Parts of a screen that are drawn anew, by themselves, when what they show has changed."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from crossway.dashboard import live
from crossway.dashboard.components import widget
from crossway.ports.changes import Topic

P = ParamSpec("P")
AT_LEAST_EVERY_SECONDS = 60.0


def part(
    *topics: Topic, every: float = AT_LEAST_EVERY_SECONDS
) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """A fragment that the browser asks for anew once one of these topics has changed (else any
    but the request log), and every so many seconds for what only time changes.

    While nothing changes it costs nothing, and a tab in the background asks for nothing. Nothing
    the user does in it or beside it is lost: it is one fragment, drawn with the same keys.
    """
    of = topics or live.EVERYTHING

    def decorate(draw: Callable[P, None]) -> Callable[P, None]:
        key = f"live_{draw.__module__}_{draw.__qualname__}".replace("__", "")

        @st.fragment
        @wraps(draw)
        def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
            with live.turn():
                # Read before what is drawn: what changes meanwhile is drawn again. Below it: what
                # stands above moves nothing while it loads.
                numbers = live.changes().numbers()
                draw(*args, **kwargs)
                widget.listen(key, of, every, numbers)

        return drawn

    return decorate
