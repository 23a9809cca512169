"""The live list of payments."""

from collections.abc import Mapping

import streamlit as st

from crossway.dashboard import watching
from crossway.dashboard.components import living, notices, paging, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import conditions, intents
from crossway.dashboard.views.intents import Listing

_NAME, _LABEL = "intents", "Payments"


@living.part(watched=True)
def rows(given: Mapping[str, str]) -> None:
    """One page of those that the address asks for, newest first."""
    with notices.in_words():
        before = paging.before(_NAME, tuple(given.items()))
        wanted, caller, number = conditions.asked(given), operator(), paging.number(_NAME)

        def read() -> Listing:
            return watching.read(
                f"payments {before} {number} {wanted}",
                lambda: intents.listing(services(), caller, wanted, before),
                picture=lambda of: _picture(of, number),
            )

        found = read()
        if found.searched_to is not None:
            words = f"Looked through the payments down to #{found.searched_to:,}."
            st.caption(f"{words} Few of them match, so older ones are looked at when you ask.")
        elif given and not found.rows:
            notices.empty("No payment matches", "Take a filter away, or choose another.")
        elif not found.rows:
            notices.empty("No payments yet", "Make the first one with New payment.")
        if found.rows:
            widget.table(found.rows, intents.COLUMNS, _NAME, _LABEL, _said(found, number))
        older = "Look further back" if found.searched_to is not None else "Older"
        # Asked when it is pressed: rows have moved on since the button was drawn.
        paging.turn(_NAME, found.older_than, older, lambda: read().older_than)


def _picture(of: Listing, number: int) -> watching.Picture:
    """Browsers draw the rows; the buttons and what is said of none are the frame."""
    table = widget.table_data(of.rows, intents.COLUMNS, _LABEL, _said(of, number))
    return watching.Picture({_NAME: table}, (bool(of.rows), of.older_than is None, of.searched_to))


def _said(of: Listing, number: int) -> str:
    if of.searched_to is not None:
        return ""
    page = f", page {number}" if number > 1 or of.older_than else ""
    return f"{of.count}{page}. Newest first, live."
