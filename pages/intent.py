"""One payment: where it stands, its money, its story, and what may be done to it now."""

import streamlit as st

from crossway.dashboard import watching
from crossway.dashboard.components import intent as parts
from crossway.dashboard.components import (
    intent_actions,
    intent_records,
    listing,
    living,
    notices,
    widget,
)
from crossway.dashboard.navigation import open_page
from crossway.dashboard.session import operator, redraw, services
from crossway.dashboard.views import story
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link

TABS = ("Overview", "Advanced", "Raw")
wanted = st.query_params.get("id") or st.query_params.get("intent") or ""


def read(intent_id: int) -> story.Story:
    caller = operator()
    return watching.read(f"payment {intent_id}", lambda: story.told(services(), caller, intent_id))


# How much time is left is said in its words.
@living.part(watched=True, every=60.0)
def head(intent_id: int, drawn: str) -> None:
    with notices.in_words():
        told = read(intent_id)
        parts.head(told)
        # The buttons stand outside this part: when what they allow changes, draw all anew.
        if parts.stands(told) != drawn:
            redraw()


@living.part(watched=True)
def body(intent_id: int, tab: str) -> None:
    with notices.in_words():
        told = read(intent_id)
        show = {"Advanced": intent_records.advanced, "Raw": intent_records.records}
        show.get(tab, parts.overview)(told)


with notices.in_words():
    found = story.sought(services(), operator(), wanted)
    if len(found) > 1:
        open_page("search", q=wanted)
    if not found:
        st.title("Payment")
        words = f"No payment is known by “{wanted}”." if wanted else "No payment is named."
        notices.empty(words, "Search above, or choose one from the list.", "search_off")
        widget.ways((Way("To the list of payments", link("intents"), "list_alt"),), "to_list")
    else:
        told = story.told(services(), operator(), found[0].id)
        st.title(f"Payment #{found[0].id}")
        head(found[0].id, parts.stands(told))
        intent_actions.actions(told)
        tab = listing.tabs("What to show", "tab", TABS)
        body(found[0].id, tab)
        if tab == "Overview":
            intent_actions.write_note(told)
        elif tab == "Advanced":
            intent_records.send_again(told)
        else:
            intent_records.take_along(told)
