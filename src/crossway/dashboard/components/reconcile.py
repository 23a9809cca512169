"""Comparing books and chains: begin, watch, read what was found, book stock, look back."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import living, notices, paging, widget
from crossway.dashboard.components.actions import confirm, confirm_with_text, perform
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import reconcile as view
from crossway.domain.roles import Right
from crossway.ports.treasury_records import Run
from crossway.usecases.money import reconciling, stock


def begin() -> None:
    """The button that begins a comparison, and whether one is made every day."""
    st.caption(view.schedule(services()))
    if not operator().may(Right.WORK):
        return
    if st.button("Compare now", icon=":material/rule:", type="primary", key="compare"):
        perform(_begin)


def _begin() -> str:
    number = reconciling.start(services(), operator())
    st.query_params.pop("run", None)
    return f"Comparison {number} is running."


def _chosen() -> Run | None:
    """The comparison that the link names, else the newest."""
    asked = st.query_params.get("run", "")
    if asked.isdigit():
        return reconciling.one(services(), operator(), int(asked))
    return reconciling.latest(services(), operator())


@living.part(every=2.0)
def result() -> None:
    """What the chosen comparison found, or how far it is."""
    with notices.in_words():
        run = _chosen()
        if run is None:
            notices.empty(
                "Nothing was compared yet",
                "Compare once: every deposit address, the collecting accounts, the relayer's stock "
                "and our transactions are looked up on the chains.",
                "rule",
            )
            return
        tone, words = view.verdict(services(), run)
        getattr(st, tone)(notices.as_text(words))
        if run.ended_at is None:
            st.progress(run.done / max(run.of, 1), text=f"{run.done} of {run.of} chains")
        rows = view.findings(services(), run)
        if rows:
            widget.table(rows, view.FOUND_COLUMNS, "findings", "Differences")
        if left_out := run.result.get("left_out"):
            st.caption(f"{left_out:,} more are not shown.")
        _stock(run)


def _stock(run: Run) -> None:
    """What a treasurer can book: differences of the stock, and stock that is not in the books."""
    allowed = operator().may(Right.TREASURE)
    for one in view.bookable(run) if allowed else ():
        done = "put in" if one.units > 0 else "taken out"
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.markdown(notices.as_text(one.words))
            if st.button(
                f"Book as {done}", key=f"book_{one.chain}_{one.token}", icon=":material/edit_note:"
            ):
                confirm_with_text(
                    f"Book as {done} by the operator?",
                    f"{one.words} The difference is booked between the relayer's stock and the "
                    "operator's capital. No money moves.",
                    "Who did it, and why",
                    "Book it",
                    partial(_book, one),
                )  # fmt: skip
    rows = view.unopened(run)
    if not rows:
        return
    st.info(
        "The books were never told what the relayer began with, so its stock is not compared.",
        icon=":material/account_balance:",
    )
    if allowed and st.button("Take in the opening stock", key="take_in", icon=":material/input:"):
        confirm(
            "Take the relayer's stock into the books?",
            f"What the relayer holds on {len(rows)} chains is booked as the operator's capital. "
            "No money moves. From then on every comparison looks at it, too.",
            "Take it in",
            _take_in,
        )
    with st.expander("What it holds", icon=":material/table_rows:"):
        widget.table(rows, view.UNOPENED_COLUMNS, "unopened", "Stock that is not in the books")


def _book(one: view.Bookable, reason: str) -> str:
    return stock.book_difference(services(), operator(), one.chain, one.token, one.units, reason)


def _take_in() -> str:
    told = stock.take_in(services(), operator())
    reconciling.start(services(), operator())
    return view.told(told)


@living.part(every=5.0)
def history() -> None:
    """Comparisons, newest first."""
    with notices.in_words():
        found = view.listing(services(), operator(), paging.before("runs", "all"))
        if found.rows:
            widget.table(found.rows, view.HISTORY_COLUMNS, "runs", "Comparisons")
            paging.turn("runs", found.older_than)
        else:
            st.markdown("No comparison was made yet.")
