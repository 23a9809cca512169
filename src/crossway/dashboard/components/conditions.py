"""The filter of the list of payments: conditions that all hold, and some of which one must."""

from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from crossway.dashboard.components.listing import ask
from crossway.dashboard.components.notices import as_text, in_words
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import conditions as view
from crossway.domain.conditions import RANGES, Condition, Subject, read

SIDES: Final[Mapping[str, str]] = {"all": "All of", "any": "At least one of"}


def builder(names: Sequence[str], asked: Mapping[str, str]) -> None:
    """The conditions as they stand, each with a way to take it away, and a form for one more."""
    with in_words(), st.container(horizontal=True, gap="small", vertical_alignment="center"):
        _more(names, asked)
        for side, title in SIDES.items():
            known = read(asked.get(side, ""), side)
            if known:
                st.markdown(f":gray[{title}:]", width="content")
            for place, one in enumerate(known):
                words = view.in_words(services(), operator(), one)
                if st.button(
                    as_text(words), key=f"drop_{side}_{place}", icon=":material/close:",
                    help="Take this condition away",
                ):  # fmt: skip
                    _set(names, asked, side, view.changed(asked[side], drop=place))


def _more(names: Sequence[str], asked: Mapping[str, str]) -> None:
    with st.popover("Add a filter", icon=":material/filter_alt:"):
        side = st.segmented_control(
            "Where it goes", list(SIDES), key="filter_side", default="all", required=True,
            format_func=lambda one: f"{SIDES[one]} these",
            help="All conditions of the first kind must hold, and one of the second at least.",
        )  # fmt: skip
        subject = st.selectbox(
            "What", list(view.SUBJECTS), key="filter_subject", format_func=view.SUBJECTS.__getitem__
        )
        negated = st.checkbox("Is not", key="filter_negated", help="Turn the condition round")
        chosen = _range(subject) if subject in RANGES else _values(subject)
        if st.button("Add", key="filter_add", type="primary") and side:
            if chosen is None:
                st.error("Choose or type a value first.")
                return
            one = Condition(chosen.subject, chosen.values, chosen.least, chosen.most, bool(negated))
            _set(names, asked, side, view.changed(asked.get(side, ""), add=one))


def _values(subject: Subject) -> Condition | None:
    known = view.choices(services(), operator(), subject)
    label = f"{view.SUBJECTS[subject]}: one of"
    if known:
        values = st.multiselect(
            label, list(known), key=f"filter_{subject}", format_func=known.__getitem__,
            placeholder="Choose",
        )  # fmt: skip
    else:
        typed = st.text_input(label, key=f"filter_{subject}", placeholder="Whole, as it is written")
        values = [typed.strip()] if typed.strip() else []
    return Condition(subject, tuple(values)) if values else None


def _range(subject: Subject) -> Condition | None:
    if subject is Subject.CREATED:
        first = st.date_input("From", None, key="filter_first_day", help="Days of UTC")
        last = st.date_input("To", None, key="filter_last_day", help="This day included")
        return view.days(first, last) if first or last else None
    least = st.number_input("From (USD)", 0.0, None, None, key="filter_least")
    most = st.number_input("To below (USD)", 0.0, None, None, key="filter_most")
    if least is None and most is None:
        return None
    low, high = (None if one is None else round(one * 1_000_000) for one in (least, most))
    return Condition(subject, (), low, high)


def _set(names: Sequence[str], asked: Mapping[str, str], side: str, text: str) -> None:
    # What cannot be read again is refused before it stands in the address.
    read(text, side)
    ask(names, {**asked, side: text})
    st.rerun()
