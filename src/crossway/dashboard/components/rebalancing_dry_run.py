"""The dry run of rebalancing: a button, its progress, and what would have been moved."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from crossway.dashboard.components import notices, widget
from crossway.dashboard.components.rebalancing import plan_of_now
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import rebalancing_dry_run as view
from crossway.dashboard.views.rebalancing import is_of_network
from crossway.domain.rebalancing import RebalancingPolicy
from crossway.usecases.money.rebalancing_dry_run import MODEL, DryRun, dry_run

_FOUND, _DAYS = "rebalancing_dry_run", (7, 30, 90)


@st.fragment
def section(testnets: bool) -> None:
    """What the policies of now would have done in the past."""
    st.markdown("What the policies of now would have moved in the past, as if it were automatic.")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        days = st.selectbox("Days", _DAYS, index=1, key="dry_run_days", width=120)
        starts = st.button("Run", icon=":material/history:", key="dry_run")
    key = f"{_FOUND}_{testnets}"
    if starts:
        with notices.show_errors():
            bar = st.progress(0.0, "Reading what happened")
            st.session_state[key] = _run(testnets, int(days), bar)
            bar.empty()
    if found := st.session_state.get(key):
        _result(found)
    for sentence in MODEL:
        st.caption(notices.escape_markdown(sentence))


def _run(testnets: bool, days: int, bar: DeltaGenerator) -> DryRun:
    inputs = plan_of_now().inputs
    tested = [policy for policy in inputs.policies if _is_of(policy, testnets)]

    def on_progress(share: float) -> None:
        bar.progress(min(share, 1.0), "Replaying what happened")

    return dry_run(services(), operator(), tested, inputs.settings, days, on_progress)


def _is_of(policy: RebalancingPolicy, testnets: bool) -> bool:
    return is_of_network(services().catalogue, policy.location, testnets)


def _result(found: DryRun) -> None:
    catalogue = services().catalogue
    with st.grid(6, min_column_width=150, gap="small"):
        for figure in view.build_kpis(found):
            st.metric(figure.label, figure.value, help=figure.help, border=True, height="stretch")
    for sentence in view.describe(found):
        st.markdown(notices.escape_markdown(sentence))
    if found.transfers:
        st.subheader("Would have been moved")
        rows = view.build_transfer_rows(catalogue, found)
        widget.table(rows, view.TRANSFER_COLUMNS, "dry_transfers", "What would have been moved")
        _left_out(found.transfers)
    if found.waiting:
        st.subheader("Payments that waited")
        rows = view.build_payment_rows(catalogue, found)
        widget.table(rows, view.PAYMENT_COLUMNS, "dry_payments", "Payments that waited")
        _left_out(found.waiting)


def _left_out(rows: Sequence[object]) -> None:
    if len(rows) > view.MAX_ROWS:
        st.caption(f"{len(rows) - view.MAX_ROWS:,} more are not shown.")
