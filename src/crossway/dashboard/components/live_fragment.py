"""Fragments of a page that redraw themselves when the data they show has changed."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from crossway.dashboard import push, shared_query
from crossway.dashboard.components import widget
from crossway.ports.topics import Topic

P = ParamSpec("P")
DEFAULT_REFRESH_SECONDS = 60.0
# Shared queries are refreshed and pushed by the server, so their fragments rarely need to ask.
SHARED_REFRESH_SECONDS = 3_600.0


def fragment(
    *topics: Topic,
    refresh_seconds: float | None = None,
    shared: bool = False,
    min_interval_seconds: float = 0.0,
) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """A fragment that the browser asks for again when a topic has changed (default: all but the
    request log), and every `refresh_seconds` for what changes with time alone.

    A `shared` fragment reads its data with `shared_query.read`: it is requested again only when the
    frame of such a query has changed, and its widgets redraw everything else by themselves. It is
    not requested twice within `min_interval_seconds`.

    Idle fragments and background tabs cause no requests. Inputs inside and outside keep their
    state, as the fragment is redrawn with the same keys.
    """
    watched_topics = () if shared else topics or push.ALL_TOPICS
    default_seconds = SHARED_REFRESH_SECONDS if shared else DEFAULT_REFRESH_SECONDS
    seconds = default_seconds if refresh_seconds is None else refresh_seconds

    def decorate(draw: Callable[P, None]) -> Callable[P, None]:
        key = f"live_{draw.__module__}_{draw.__qualname__}".replace("__", "")

        @st.fragment
        @wraps(draw)
        def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
            with push.render_slot():
                # Read before what is drawn: what changes meanwhile is drawn again. Below it: what
                # stands above moves nothing while it loads.
                counters = push.change_counters().current()
                with shared_query.record_reads() as reads:
                    draw(*args, **kwargs)
                versions = [version for _, version in reads.values()] if shared else []
                widget.subscribe(
                    widget.Subscription(
                        key, watched_topics, seconds, min_interval_seconds, counters, versions
                    )
                )

        return drawn

    return decorate
