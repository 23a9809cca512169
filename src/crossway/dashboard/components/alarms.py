"""Alarms: the strip above every screen, the lists, and saying that somebody looks after them."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import streamlit as st

from crossway.dashboard import live
from crossway.dashboard.components import living, notices, paging, widget
from crossway.dashboard.components.actions import perform
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import alarms as view
from crossway.domain.roles import Right
from crossway.ports.changes import Topic
from crossway.usecases.operating import alarms


class Asked(NamedTuple):
    """What is to be shown."""

    past: bool
    kind: str | None
    whom: str


def strip() -> None:
    """How many alarms nobody has seen to, and the newest, on every screen; it follows the line of
    changes by itself, as no part of the frame may be a fragment."""
    widget.strip(live.strip())


def filters() -> Asked:
    """Those that stand or those that are over, of which kind, seen to by whom."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        which = st.segmented_control(
            "Show", [view.STANDING, view.PAST], key="which", default=view.STANDING, required=True,
            label_visibility="collapsed", bind="query-params",
        )  # fmt: skip
        if st.session_state.get("kind") not in (None, *view.kinds()):
            del st.session_state["kind"]
        kind = st.selectbox(
            "Kind", view.kinds(), index=None, key="kind", placeholder="Any kind",
            format_func=view.called, bind="query-params",
        )  # fmt: skip
        past = which == view.PAST
        whom = view.ANYBODY
        if past:
            whom = st.selectbox("Seen to", list(view.WHOM), key="whom", bind="query-params")
    return Asked(past, kind, whom or view.ANYBODY)


@living.part(Topic.ALARMS, Topic.PAYMENTS)
def standing(kind: str | None) -> None:
    """Every alarm that stands, live."""
    with notices.in_words():
        rows = view.standing(services(), operator(), kind)
        if rows:
            widget.table(rows, view.STANDING_COLUMNS, "standing", "Alarms that stand")
        elif kind:
            notices.empty(
                "No alarm of this kind stands", "Choose another kind, or look at the past."
            )
        else:
            notices.empty("No alarm stands", "What needs a person will stand here.", "check_circle")


@living.part(Topic.ALARMS)
def past(asked: Asked) -> None:
    """Alarms that are over, newest first, live."""
    with notices.in_words():
        before = paging.before("past_alarms", asked)
        found = view.past(services(), operator(), asked.kind, asked.whom, before)
        if found.rows:
            widget.table(found.rows, view.PAST_COLUMNS, "past", "Alarms that are over")
        else:
            notices.empty("No alarm was over yet", "Every alarm that ends stands here.", "history")
        paging.turn("past_alarms", found.older_than)


def actions(kind: str | None) -> None:
    """The buttons, for those who may. What they concern is read when they are pressed."""
    caller = operator()
    if not caller.may(Right.WORK):
        return
    with st.container(horizontal=True, gap="small"):
        if st.button("Acknowledge…", icon=":material/visibility:", type="primary"):
            _ask(
                "Who looks after it?",
                "What you choose leaves the strip above every screen, and stays on this list until "
                "it is over. Everybody sees that you look after it.",
                view.to_acknowledge(services(), caller, kind),
                "Acknowledge",
                "Nothing is left to acknowledge.",
                _acknowledged,
            )
        to_settle = view.to_settle(services(), caller, kind)
        if to_settle and st.button("Settle by hand…", icon=":material/done_all:"):
            _ask(
                "Is it settled?",
                "No machine can tell that these are over. Say what it was: whoever looks at it "
                "later reads that.",
                to_settle,
                "It is settled",
                "No alarm stands that is ended by hand: all that stand end with their cause.",
                _settled,
            )


@st.dialog("Alarms", width="large")
def _ask(
    title: str,
    words: str,
    offered: Mapping[str, str],
    label: str,
    nothing: str,
    work: Callable[[list[str], str], str],
) -> None:
    if not offered:
        st.markdown(nothing)
        return
    st.subheader(title)
    st.markdown(words)
    chosen = st.multiselect(
        "Alarms", list(offered), list(offered), key="alarms_chosen", format_func=offered.__getitem__
    )
    note = st.text_input("Note", key="alarms_note", max_chars=alarms.LONGEST_NOTE)
    if st.button(label, key="alarms_do", type="primary", disabled=not chosen):
        perform(lambda: work(chosen, note))


def _acknowledged(keys: list[str], note: str) -> str:
    number = alarms.acknowledge(services(), operator(), keys, note)
    return f"You look after {number} alarm{'' if number == 1 else 's'}."


def _settled(keys: list[str], note: str) -> str:
    number = alarms.settle(services(), operator(), keys, note)
    return f"{number} alarm{' is' if number == 1 else 's are'} settled."
