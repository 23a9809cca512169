"""What the screen of one thing says when its link names none."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from crossway.dashboard.components import notices, widget
from crossway.dashboard.views.cells import Way
from crossway.domain.errors import NotFound


@contextmanager
def told(title: str, to_list: Way) -> Iterator[None]:
    """Draw one thing, and whatever goes wrong in words; where it is not there, say so below a
    title, with the way to all that are."""
    with notices.in_words():
        try:
            yield
        except NotFound as refusal:
            st.title(title)
            words = notices.sentence(refusal)
            notices.empty(words, "Search above, or choose one from the list.", "search_off")
            widget.ways((to_list,), "to_list", width="content")
