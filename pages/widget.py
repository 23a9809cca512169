"""A simulated provider's page, where its user pays or is checked: `reference` names the order."""

import streamlit as st

from crossway.dashboard.components import notices, ramp_sandbox, ramp_widget, widget
from crossway.dashboard.session import operator, redraw, services
from crossway.dashboard.views import ramp_story
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link

reference = st.query_params.get("reference") or ""


@st.fragment(run_every=1.0)
def live(order_id: int, drawn: str) -> None:
    with notices.in_words():
        story = ramp_story.told(services(), operator(), order_id)
        ramp_widget.facts(story)
        if ramp_widget.stands(story.order) != drawn:
            redraw()


def offered() -> None:
    """What the provider shows whom it was asked for."""
    st.markdown("A provider's own page stands here when money is real. No real money moves.")
    with notices.in_words():
        found = ramp_story.sought(services(), operator(), reference)
        if found:
            live(found[0].id, ramp_widget.stands(found[0]))
            ramp_widget.actions(ramp_story.told(services(), operator(), found[0].id))
        elif reference:
            notices.empty("No such order", f"No order is known by “{reference}”.", "search_off")
            widget.ways(
                (Way("To the list of orders", link("ramp_orders"), "receipt_long"),), "to_list"
            )
        else:
            st.subheader("Identity of a person")
            ramp_sandbox.standing()


st.title("Simulated provider's page")
if services().ramp_sandbox is None:
    notices.empty("This is a live network", "There is nothing to simulate here.", "public")
else:
    offered()
