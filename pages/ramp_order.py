"""One ramp order: where it stands, how it is paid, its story, and what may be done to it now."""

import streamlit as st

from crossway.dashboard.components import living, notices, widget
from crossway.dashboard.components import ramp_order as parts
from crossway.dashboard.navigation import open_page
from crossway.dashboard.session import operator, redraw, services
from crossway.dashboard.views import ramp_story
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link

wanted = st.query_params.get("id") or ""


@living.part()
def body(order_id: int) -> None:
    with notices.in_words():
        parts.body(ramp_story.told(services(), operator(), order_id))


@living.part()
def head(order_id: int, drawn: str) -> None:
    with notices.in_words():
        story = ramp_story.told(services(), operator(), order_id)
        parts.head(story)
        # The buttons stand outside this part: when what they allow changes, draw all anew.
        if parts.stands(story.order) != drawn:
            redraw()


with notices.in_words():
    found = ramp_story.sought(services(), operator(), wanted)
    if len(found) > 1:
        open_page("ramp_orders", search=wanted)
    if not found:
        st.title("Ramp order")
        words = f"No order is known by “{wanted}”." if wanted else "No order is named."
        notices.empty(words, "Search above, or choose one from the list.", "search_off")
        widget.ways((Way("To the list of orders", link("ramp_orders"), "receipt_long"),), "to_list")
    else:
        st.title(f"Ramp order #{found[0].id}")
        head(found[0].id, parts.stands(found[0]))
        parts.actions(ramp_story.told(services(), operator(), found[0].id))
        body(found[0].id)
