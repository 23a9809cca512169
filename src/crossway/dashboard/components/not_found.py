"""What a detail page shows when its record does not exist."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from crossway.dashboard.components import notices, widget
from crossway.dashboard.views.cells import LinkButton
from crossway.domain.errors import NotFound


@contextmanager
def handle_not_found(title: str, to_list: LinkButton) -> Iterator[None]:
    """Draw a detail page; on `NotFound`, show the title, the reason and a link to the list."""
    with notices.show_errors():
        try:
            yield
        except NotFound as refusal:
            st.title(title)
            text = notices.error_sentence(refusal)
            notices.empty_state(text, "Search above or choose one from the list.", "search_off")
            widget.link_buttons((to_list,), "to_list", width="content")
