"""Guided tour: one payment from quote to refund, to demonstrate Crossway."""

import streamlit as st

from crossway.dashboard.components import guided_story, guided_tour, notices, widget
from crossway.dashboard.session import services
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

PLAY = LinkButton("Play by itself", page_href("guided_tour", play="1"), "play_circle", primary=True)
PRESENT = LinkButton("Present", page_href("present"), "slideshow")
STEPS = LinkButton("Step by step", page_href("guided_tour"), "auto_stories")


def tour() -> None:
    """The tour, chapter by chapter."""
    plays = "play" in st.query_params
    ways = (STEPS, PRESENT) if plays else (PLAY, PRESENT)
    st.markdown(
        "One payment from quote to refund in the simulated environment. Every step runs the real "
        "engine. No real money moves."
    )
    widget.link_buttons(ways, "story_ways", width="content")
    if plays:
        guided_story.play()
    else:
        guided_tour.chapters()


st.title("Guided tour")
if services().sandbox is None:
    notices.empty_state(
        "This is the live environment", "The tour runs with simulated money only.", "public"
    )
else:
    tour()
