"""One payment: where it stands, its money, its story, and what may be done to it now."""

import streamlit as st

from crossway.dashboard.components import intent as parts
from crossway.dashboard.components import living, notices, widget
from crossway.dashboard.navigation import open_page
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import story
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link

wanted = st.query_params.get("id") or st.query_params.get("intent") or ""


@living.part()
def body(intent_id: int) -> None:
    with notices.in_words():
        parts.body(story.told(services(), operator(), intent_id))


@living.part()
def head(intent_id: int, drawn: str) -> None:
    with notices.in_words():
        told = story.told(services(), operator(), intent_id)
        parts.head(told)
        # The buttons stand outside this part: when what they allow changes, draw all anew.
        if parts.stands(told) != drawn:
            st.rerun()


with notices.in_words():
    found = story.sought(services(), operator(), wanted)
    if len(found) > 1:
        open_page("intents", search=wanted)
    if not found:
        st.title("Payment")
        words = f"No payment is known by “{wanted}”." if wanted else "No payment is named."
        notices.empty(words, "Search at the left, or choose one from the list.", "search_off")
        widget.ways((Way("To the list of payments", link("intents"), "list_alt"),), "to_list")
    else:
        told = story.told(services(), operator(), found[0].id)
        st.title(f"Payment #{found[0].id}")
        head(found[0].id, parts.stands(told))
        parts.actions(told)
        body(found[0].id)
