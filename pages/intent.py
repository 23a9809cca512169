"""One payment: where it stands, its money, its story, and what may be done to it now."""

import streamlit as st

from crossway.dashboard.components import intent as parts
from crossway.dashboard.components import notices, widget
from crossway.dashboard.navigation import open_page
from crossway.dashboard.session import operator, services
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link
from crossway.usecases import tracking

wanted = st.query_params.get("id") or st.query_params.get("intent") or ""


@st.fragment(run_every=1.0)
def body(intent_id: int) -> None:
    with notices.in_words():
        parts.body(tracking.story(services(), operator(), intent_id))


@st.fragment(run_every=1.0)
def head(intent_id: int, drawn: str) -> None:
    with notices.in_words():
        story = tracking.story(services(), operator(), intent_id)
        parts.head(story)
        # The buttons stand outside this part: when what they allow changes, draw all anew.
        if parts.stands(story) != drawn:
            st.rerun()


with notices.in_words():
    found = tracking.find(services(), operator(), wanted)
    if len(found) > 1:
        open_page("intents", search=wanted)
    if not found:
        st.title("Payment")
        words = f"No payment is known by “{wanted}”." if wanted else "No payment is named."
        notices.empty(words, "Search at the left, or choose one from the list.", "search_off")
        widget.ways((Way("To the list of payments", link("intents"), "list_alt"),), "to_list")
    else:
        story = tracking.story(services(), operator(), found[0].id)
        st.title(f"Payment #{found[0].id}")
        head(found[0].id, parts.stands(story))
        parts.actions(story)
        body(found[0].id)
