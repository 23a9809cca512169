"""The controls of the page Analytics, kept in its URL: period, grouping and filters."""

from collections.abc import Callable, Sequence

import streamlit as st

from crossway.dashboard.components.date_range import period_control
from crossway.dashboard.components.filter_builder import filter_builder
from crossway.dashboard.views import analytics_selection as view
from crossway.dashboard.views.analytics_measures import MEASURES, Measure


def controls() -> dict[str, str]:
    """Period and filters; returns the query parameters that select what is shown."""
    params = {name: st.query_params[name] for name in view.PARAMS if st.query_params.get(name)}
    period_control(view.PERIOD_NAMES, view.DEFAULT_PERIOD)
    filter_builder(("all", "any"), params)
    return params


def choice(
    label: str, name: str, choices: Sequence[str], default: str, show: Callable[[str], str]
) -> str:
    """One of a few options, kept in the URL unless it is the default."""
    value, key = st.query_params.get(name, ""), f"asked_{name}"
    st.session_state[key] = value if value in choices else default

    def apply() -> None:
        if st.session_state[key] == default:
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = st.session_state[key]

    st.segmented_control(label, choices, key=key, required=True, format_func=show, on_change=apply)
    return str(st.session_state[key])


def grouping() -> str:
    """The dimension by which payments are grouped."""
    groups = [dimension.value for dimension in view.DIMENSION_NAMES]
    titles = {dimension.value: title for dimension, title in view.DIMENSION_NAMES.items()}
    return choice("Grouped by", "group", groups, groups[0], titles.__getitem__)


def measure() -> Measure:
    """The figure that the charts show."""
    titles = {name: each.title for name, each in MEASURES.items()}
    name = choice("Shown in charts", "measure", list(MEASURES), "volume", titles.__getitem__)
    return MEASURES[name]
