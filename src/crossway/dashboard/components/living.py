"""Parts of a screen that are drawn anew, by themselves, when what they show has changed."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from crossway.dashboard import live, watching
from crossway.dashboard.components import widget
from crossway.ports.changes import Topic

P = ParamSpec("P")
AT_LEAST_EVERY_SECONDS = 60.0
# What only time changes in a reading is read anew by the server and told.
WATCHED_EVERY_SECONDS = 3_600.0


def part(
    *topics: Topic,
    every: float | None = None,
    watched: bool = False,
    rest: float = 0.0,
) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """A fragment that the browser asks for anew once one of these topics has changed (else any
    but the request log), and every so many seconds for what only time changes.

    Of a `watched` part all that changes is read by `watching.read`: it is asked for only when the
    frame of what was read has changed, and its widgets draw the rest by themselves. It is not asked
    for twice within `rest` seconds.

    While nothing changes it costs nothing, and a tab in the background asks for nothing. Nothing
    the user does in it or beside it is lost: it is one fragment, drawn with the same keys.
    """
    of = () if watched else topics or live.EVERYTHING
    usual = WATCHED_EVERY_SECONDS if watched else AT_LEAST_EVERY_SECONDS
    seconds = usual if every is None else every

    def decorate(draw: Callable[P, None]) -> Callable[P, None]:
        key = f"live_{draw.__module__}_{draw.__qualname__}".replace("__", "")

        @st.fragment
        @wraps(draw)
        def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
            with live.turn():
                # Read before what is drawn: what changes meanwhile is drawn again. Below it: what
                # stands above moves nothing while it loads.
                numbers = live.changes().numbers()
                with watching.noting() as noted:
                    draw(*args, **kwargs)
                seen = [one for _, one in noted.values()] if watched else []
                widget.listen(widget.Listening(key, of, seconds, rest, numbers, seen))

        return drawn

    return decorate
