"""Guided tour: one payment from quote to refund, to demonstrate Crossway."""

import streamlit as st

from crossway.dashboard.components import (
    guided_story,
    guided_tour,
    notices,
    story_start,
    widget,
)
from crossway.dashboard.session import services
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

PRESENT = LinkButton("Present", page_href("present"), "slideshow")
STEPS = LinkButton("Step by step", page_href("guided_tour"), "auto_stories")


def _play() -> None:
    story_start.begin()
    st.query_params["play"] = "1"


def tour() -> None:
    """The tour, chapter by chapter."""
    plays = "play" in st.query_params
    st.markdown(
        "One payment from quote to refund in the simulated environment. Every step runs the real "
        "engine. No real money moves."
    )
    with st.container(horizontal=True, gap="small"):
        if not plays:
            st.button(
                "Play by itself", icon=":material/play_circle:", type="primary", on_click=_play
            )
        ways = (STEPS, PRESENT) if plays else (PRESENT,)
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
