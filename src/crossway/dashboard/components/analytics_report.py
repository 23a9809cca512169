"""The report of the page Analytics: kept figures at once, filtered ones with progress."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from crossway.dashboard import push
from crossway.dashboard.components import notices
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import analytics as view
from crossway.dashboard.views.analytics_selection import Selection
from crossway.ports.analytics import AnalyticsReport
from crossway.usecases.money import analytics

FRESH_SECONDS = 15.0
_COUNTED, _CANCELLED = "analytics_counted", "analytics_cancelled"


@dataclass(frozen=True, slots=True)
class CountedReport:
    """A report and when it was made."""

    report: AnalyticsReport
    at: datetime


def load(selection: Selection) -> CountedReport | None:
    """The report of a selection; None after its count was cancelled."""
    if selection.filters:
        return _load_filtered(selection)
    caller, query = operator(), selection.query

    def compute() -> CountedReport:
        now = services().clock.now()
        return CountedReport(analytics.get_report(services(), caller, query), now)

    with st.skeleton(height=480):
        return push.cached(f"analytics:{query}", compute, (), FRESH_SECONDS)


def _load_filtered(selection: Selection) -> CountedReport | None:
    """Counted once for a selection in a session, as payments are read one by one."""
    key = f"{selection.query}:{selection.filters}"
    stored: tuple[str, CountedReport] | None = st.session_state.get(_COUNTED)
    if stored is not None and stored[0] == key:
        return stored[1]
    if st.session_state.get(_CANCELLED) == key:
        notices.empty_state(
            "Counting was cancelled",
            "Change the filters, choose a shorter period, or count again.",
            "cancel",
            lambda: st.button("Count again", icon=":material/refresh:", on_click=_forget),
        )
        return None
    place, now = st.empty(), services().clock.now()
    with place.container(horizontal=True, vertical_alignment="center", gap="small"):
        bar = st.progress(0.0, "Counting the payments that match the filters")
        st.button("Cancel", icon=":material/close:", on_click=_cancel, args=(key,))
    counted = CountedReport(_count(selection, bar.progress), now)
    place.empty()
    st.session_state[_COUNTED] = (key, counted)
    return counted


def _count(selection: Selection, show: Callable[[float, str], object]) -> AnalyticsReport:
    """Count, and show how far it got; pressing Cancel ends this run of the page at the next
    step."""
    caller, query = operator(), selection.query
    for step in analytics.stream_filtered_report(services(), caller, query, selection.filters):
        if step.report is not None:
            return step.report
        show(step.fraction, f"{int(step.fraction * 100)}% of the payments are read")
    raise RuntimeError("The count ended without a report")


def _cancel(key: str) -> None:
    st.session_state[_CANCELLED] = key


def _forget() -> None:
    st.session_state.pop(_CANCELLED, None)
    st.session_state.pop(_COUNTED, None)


def period_and_freshness(selection: Selection, counted: CountedReport) -> None:
    """What is counted and compared, up to when, and what is missing in it."""
    report, text = counted.report, view.describe_comparison(selection.query.period)
    complete, reach = view.describe_freshness(report.freshness, counted.at)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f"{text} {reach}" if complete else text)
        if selection.filters:
            st.button("Count again", icon=":material/refresh:", on_click=_forget)
    if not complete:
        st.warning(notices.escape_markdown(reach), icon=":material/hourglass_top:")
    if unpriced := view.describe_unpriced(services().catalogue, report.total):
        st.caption(f":material/money_off: {notices.escape_markdown(unpriced)}")
