"""Reconciliation: start a run, follow it, read its differences, book adjustments, see past runs."""

from contextlib import suppress
from functools import partial

import streamlit as st

from crossway.dashboard.components import live_fragment, notices, pagination, widget
from crossway.dashboard.components.actions import confirm, confirm_with_text, run_action
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import reconcile as view
from crossway.dashboard.views.links import is_record_id
from crossway.domain.errors import InvalidStatus
from crossway.domain.roles import Permission
from crossway.ports.treasury_repository import ReconciliationRun
from crossway.usecases.money import inventory_adjustments, reconciliation_runs


@live_fragment.fragment(refresh_seconds=2.0)
def start_button() -> None:
    """The daily schedule, and the button that starts a run while none is in progress."""
    st.caption(view.describe_schedule(services()))
    if not operator().can(Permission.OPERATE):
        return
    if reconciliation_runs.is_any_running(services()):
        st.caption("A reconciliation is in progress. The next one can start when it has ended.")
    elif st.button("Reconcile now", icon=":material/rule:", type="primary", key="compare"):
        run_action(_start)


def _start() -> str:
    number = reconciliation_runs.start_run(services(), operator())
    st.query_params.pop("run", None)
    return f"Run {number} has started."


def _selected_run() -> ReconciliationRun | None:
    """The run that the URL names, else the latest."""
    run_id = st.query_params.get("run", "")
    if is_record_id(run_id):
        return reconciliation_runs.get_run(services(), operator(), int(run_id))
    return reconciliation_runs.latest_run(services(), operator())


@live_fragment.fragment(refresh_seconds=2.0)
def result() -> None:
    """The result of the selected run, or its progress."""
    with notices.show_errors():
        run = _selected_run()
        if run is None:
            notices.empty_state(
                "No runs yet",
                "A run compares every deposit address, the collecting accounts, the relayer's "
                "inventory, the treasury and Crossway's own transactions with the chains.",
                "rule",
            )
            return
        tone, text = view.describe_result(services(), run)
        getattr(st, tone)(notices.escape_markdown(text))
        if run.ended_at is None:
            st.progress(
                run.chains_done / max(run.chains_total, 1),
                text=f"{run.chains_done} of {run.chains_total} chains",
            )
        rows = view.build_finding_rows(services(), run)
        if rows:
            widget.table(rows, view.FINDING_COLUMNS, "findings", "Differences")
        if omitted := run.result.get("omitted_count"):
            st.caption(f"{omitted:,} more are not shown.")
        _adjustments(run)


def _adjustments(run: ReconciliationRun) -> None:
    """What a treasurer can book: differences of our accounts, and their opening balances."""
    allowed = operator().can(Permission.MOVE_FUNDS)
    for candidate in view.list_adjustment_candidates(run) if allowed else ():
        done = "added" if candidate.units > 0 else "withdrawn"
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.markdown(notices.escape_markdown(candidate.description))
            if st.button(
                f"Book as {done}",
                key=f"book_{candidate.kind}_{candidate.chain}_{candidate.token}",
                icon=":material/edit_note:",
            ):
                confirm_with_text(
                    f"Book as {done} by the operator?",
                    f"{candidate.description} The difference is booked between this account "
                    "and the operator's equity. No money moves.",
                    "Who and why",
                    "Book",
                    partial(_book, candidate),
                )
    rows = view.build_unopened_rows(run)
    if not rows:
        return
    st.info(
        "These balances were there before the books. Check them, then record them as opening "
        "balances: later runs compare them.",
        icon=":material/account_balance:",
    )
    if allowed and st.button("Record opening balances", key="take_in", icon=":material/input:"):
        confirm(
            "Record the opening balances?",
            f"The balances of {len(rows)} accounts below are booked as the operator's equity. "
            "No money moves. From then on, what is missing or added is a difference.",
            "Record",
            _book_opening,
        )
    with st.expander("Balances not in the books", icon=":material/table_rows:"):
        widget.table(rows, view.UNOPENED_COLUMNS, "unopened", "Balances not in the books")


def _book(candidate: view.AdjustmentCandidate, reason: str) -> str:
    return inventory_adjustments.book_difference(
        services(),
        operator(),
        candidate.chain,
        candidate.token,
        candidate.units,
        reason,
        candidate.kind,
    )


def _book_opening() -> str:
    booked = inventory_adjustments.book_opening_balances(services(), operator())
    with suppress(InvalidStatus):
        # The run in progress, or the next one, shows the result.
        reconciliation_runs.start_run(services(), operator())
    return view.join_sentences(booked)


@live_fragment.fragment(refresh_seconds=5.0)
def history() -> None:
    """Past runs, newest first."""
    with notices.show_errors():
        page = view.load_page(services(), operator(), pagination.cursor("runs", "all"))
        if page.rows:
            widget.table(page.rows, view.HISTORY_COLUMNS, "runs", "Reconciliation runs")
            pagination.page_buttons("runs", page.older_than)
        else:
            st.markdown("No runs yet. Each run appears here with its result.")
