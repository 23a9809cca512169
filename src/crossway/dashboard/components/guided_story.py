"""The guided story, which plays by itself, and its presentation: each step is carried out."""

from typing import Final

import streamlit as st

from crossway.dashboard.components import (
    demo,
    first_view,
    live_fragment,
    network_map,
    notices,
    story_start,
    widget,
)
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import guided_story as view
from crossway.dashboard.views import guided_tour, tour_payment
from crossway.dashboard.views.guided_story import GuidedStory
from crossway.usecases.simulator import chain_controls

_KEY: Final = "story"
_STORY_AND_MAP: Final = (5, 7)


def play() -> None:
    """The story that plays by itself, with the network map below it. Whoever comes by a link is
    asked first."""
    if not story_start.is_begun():
        _offer()
        return
    _stage(presenting=False)
    if story_start.current().at >= len(guided_tour.CHAPTERS) and not demo.progress():
        first, second, _ = st.columns(3, gap="medium")
        with first:
            first_view.test_payment_button("story_payment")
        with second:
            first_view.fill_button("story_month")
    network_map.network_map(key="story_map")


def _offer() -> None:
    st.button(
        "Play the story",
        icon=":material/play_circle:",
        type="primary",
        key="play_story",
        on_click=story_start.begin,
    )
    st.caption(
        "It takes 45 seconds and makes one payment, marked Guided tour. Following the link to this "
        "page has made none."
    )


def present() -> None:
    """The story beside the network map, with large type and keys. Its chapter and payments are in
    the URL, so that a reload goes on where it was."""
    _follow_address(story_start.current())
    left, right = st.columns(_STORY_AND_MAP, gap="medium")
    with left:
        _stage(presenting=True)
    with right:
        network_map.network_map(large=True, key="story_map")


@live_fragment.fragment(refresh_seconds=2.0)
def _stage(presenting: bool) -> None:
    story = story_start.current()
    with notices.show_errors():
        _carry_out(story, presenting)
    if presenting:
        _keep_in_address(story)
    with notices.show_errors():
        data = view.build_story(services(), operator(), story, presenting)
        widget.story(
            data,
            _KEY,
            on_go=lambda: _go(presenting),
            on_fault=_ask_for_fault,
            on_again=story_start.begin,
        )
    if not presenting and story.at >= len(guided_tour.CHAPTERS) and not story.ended:
        story.ended = True
        st.rerun()


def _follow_address(story: GuidedStory) -> None:
    """Go to the chapter that the URL names anew, as after a reload, with the payments of before."""
    asked = tuple(st.query_params.get(name, "") for name in view.ADDRESS)
    if asked != story.address:
        view.resume(services(), operator(), story, *asked)
        story.address = asked


def _keep_in_address(story: GuidedStory) -> None:
    known = view.describe_address(story)
    if known != story.address:
        story.address = known
        others = {name: st.query_params[name] for name in st.query_params}
        own = dict(zip(view.ADDRESS, known, strict=True))
        kept = own | {name: text for name, text in others.items() if name not in own}
        # All at once: each change of the URL is a step of the browser's history.
        st.query_params.from_dict({name: text for name, text in kept.items() if text})


def _carry_out(story: GuidedStory, presenting: bool) -> None:
    """What the chapters up to the current one tell, each once."""
    if presenting and story.at == len(guided_tour.CHAPTERS):
        _set_fault(story)
        return
    if not story.quotes:
        story.quotes = tour_payment.ask_quotes(services())
    if story.at >= 1 and story.payment is None:
        intent = tour_payment.create_tour_payment(services(), operator())
        story.payment = intent.id
    if story.at >= 2 and story.payment is not None and not story.paid:
        tour_payment.pay(services(), operator(), story.payment)
        story.paid = True


def _go(presenting: bool) -> None:
    to, last = st.session_state[_KEY].get("go"), len(view.list_chapters(presenting))
    if isinstance(to, int) and 0 <= to <= last:
        story_start.current().at = min(to, last - presenting)


def _ask_for_fault() -> None:
    """Keep whether the outage is to begin or to end for the run that draws, where errors show."""
    wanted = st.session_state[_KEY].get("fault")
    if isinstance(wanted, bool):
        story = story_start.current()
        story.at, story.fault = len(guided_tour.CHAPTERS), wanted


def _set_fault(story: GuidedStory) -> None:
    """Begin or end the outage, as the viewer wants it: a second press of then does nothing."""
    wanted, story.fault = story.fault, None
    if wanted is None or wanted == view.is_failing(services()):
        return
    if wanted:
        intent = tour_payment.create_tour_payment(services(), operator(), view.OUTAGE.title)
        story.delayed = intent.id
        tour_payment.pay(services(), operator(), intent.id, "exact")
        outage = {"outageSeconds": view.OUTAGE_SECONDS}
        chain_controls.inject_faults(services(), operator(), view.FAILING_CHAIN, outage)
    else:
        chain_controls.reset_chain_faults(services(), operator(), view.FAILING_CHAIN)
    network_map.read_nodes_again()
