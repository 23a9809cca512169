"""The filter builder of the payments list: filters that must all match, and any of which must."""

from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from crossway.dashboard.components.listing import write_filters
from crossway.dashboard.components.notices import escape_markdown, show_errors
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import payment_filters as view
from crossway.domain.filters import RANGES, Filter, FilterField, parse_filters

GROUPS: Final[Mapping[str, str]] = {"all": "Match all", "any": "Match any"}


def filter_builder(names: Sequence[str], query: Mapping[str, str]) -> None:
    """The current filters, each removable, and a form to add one."""
    with show_errors(), st.container(horizontal=True, gap="small", vertical_alignment="center"):
        _add_filter(names, query)
        for group, title in GROUPS.items():
            filters = parse_filters(query.get(group, ""), group)
            if filters:
                st.markdown(f":gray[{title}:]", width="content")
            for index, item in enumerate(filters):
                description = view.describe_filter(services(), operator(), item)
                if st.button(
                    escape_markdown(description),
                    key=f"drop_{group}_{index}",
                    icon=":material/close:",
                    help="Remove this filter",
                ):
                    _apply(names, query, group, view.update_filters(query[group], drop=index))


def _add_filter(names: Sequence[str], query: Mapping[str, str]) -> None:
    with st.popover("Add a filter", icon=":material/filter_alt:"):
        group = st.segmented_control(
            "Group",
            list(GROUPS),
            key="filter_side",
            default="all",
            required=True,
            format_func=GROUPS.__getitem__,
            help="Payments must match all filters of the first group and any of the second.",
        )
        field = st.selectbox(
            "Field",
            [field for field in view.FIELD_NAMES if field is not FilterField.MODE],
            key="filter_subject",
            format_func=view.FIELD_NAMES.__getitem__,
        )
        negated = st.checkbox("Is not", key="filter_negated", help="Negate the filter")
        chosen = _range_input(field) if field in RANGES else _values_input(field)
        if st.button("Add", key="filter_add", type="primary") and group:
            if chosen is None:
                st.error("Enter a value first.")
                return
            new_filter = Filter(
                chosen.field, chosen.values, chosen.minimum, chosen.maximum, bool(negated)
            )
            _apply(names, query, group, view.update_filters(query.get(group, ""), add=new_filter))


def _values_input(field: FilterField) -> Filter | None:
    choices = view.list_choices(services(), operator(), field)
    label = f"{view.FIELD_NAMES[field]}: one of"
    if choices:
        values = st.multiselect(
            label,
            list(choices),
            key=f"filter_{field}",
            format_func=choices.__getitem__,
            placeholder="Choose",
        )
    else:
        typed = st.text_input(label, key=f"filter_{field}", placeholder="Exact value")
        values = [typed.strip()] if typed.strip() else []
    return Filter(field, tuple(values)) if values else None


def _range_input(field: FilterField) -> Filter | None:
    if field is FilterField.CREATED:
        first = st.date_input("From", None, key="filter_first_day", help="UTC")
        last = st.date_input("To", None, key="filter_last_day", help="Inclusive")
        return view.created_between(first, last) if first or last else None
    minimum = st.number_input("From (USD)", 0.0, None, None, key="filter_least")
    maximum = st.number_input("Below (USD)", 0.0, None, None, key="filter_most")
    if minimum is None and maximum is None:
        return None
    low, high = (
        None if dollars is None else round(dollars * 1_000_000) for dollars in (minimum, maximum)
    )
    return Filter(field, (), low, high)


def _apply(names: Sequence[str], query: Mapping[str, str], group: str, text: str) -> None:
    # Raises for an invalid filter before it is written to the URL.
    parse_filters(text, group)
    write_filters(names, {**query, group: text})
    st.rerun()
