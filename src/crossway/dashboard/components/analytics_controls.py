"""The controls of the page Analytics, kept in its URL: period, grouping and filters."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import streamlit as st

from crossway.dashboard.components.filter_builder import filter_builder
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import analytics_selection as view
from crossway.dashboard.views.analytics_measures import MEASURES, Measure
from crossway.domain.analytics import AnalyticsPeriod
from crossway.domain.errors import InvalidInput

_FREE = ("from", "to")
_PERIOD = "asked_period"


def controls() -> dict[str, str]:
    """Period and filters; returns the query parameters that select what is shown."""
    params = {name: st.query_params[name] for name in view.PARAMS if st.query_params.get(name)}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _period(params)
        if any(params.get(name) for name in _FREE):
            _free_period(params)
    filter_builder(("all", "any"), params)
    return params


def _period(params: Mapping[str, str]) -> None:
    names = list(view.PERIOD_NAMES)
    asked = view.CUSTOM if any(params.get(name) for name in _FREE) else params.get("period")
    st.session_state[_PERIOD] = asked if asked in names else view.DEFAULT_PERIOD

    def apply() -> None:
        chosen = st.session_state[_PERIOD]
        for name in ("period", *_FREE):
            st.query_params.pop(name, None)
        if chosen == view.CUSTOM:
            period = _parsed_period(params) or _parsed_period({})
            if period is not None:
                st.query_params.update(view.period_params(period))
        elif chosen != view.DEFAULT_PERIOD:
            st.query_params["period"] = chosen

    st.segmented_control(
        "Period (UTC)",
        names,
        key=_PERIOD,
        required=True,
        format_func=view.PERIOD_NAMES.__getitem__,
        on_change=apply,
    )


def _parsed_period(params: Mapping[str, str]) -> AnalyticsPeriod | None:
    try:
        return view.parse_selection(services(), operator().mode, params).query.period
    except InvalidInput:
        return None


def _free_period(params: Mapping[str, str]) -> None:
    """Start and end of a free period; what the URL says wrongly is empty."""
    for name, label in zip(_FREE, ("From", "To"), strict=True):
        key = f"asked_{name}"
        at = view.parse_bound(name, params.get(name, ""))
        st.session_state[key] = None if at is None else at.replace(tzinfo=None)
        st.datetime_input(
            label,
            None,
            key=key,
            step=timedelta(hours=1),
            format="YYYY-MM-DD",
            width=200,
            help="UTC, whole hours" if name == "from" else "UTC, whole hours; not included",
            on_change=_apply_bound,
            args=(name, key),
        )


def _apply_bound(name: str, key: str) -> None:
    at: datetime | None = st.session_state[key]
    if at is None:
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = view.format_bound(at.replace(tzinfo=UTC))


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
