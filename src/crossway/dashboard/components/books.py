"""The books: trial balance, accounts, postings and their export."""

from collections.abc import Callable
from datetime import date
from functools import partial

import streamlit as st

from crossway.dashboard.components import notices, pagination, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import books as view
from crossway.dashboard.views import status_labels
from crossway.dashboard.views.book_cells import location_name
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.formatting import format_day
from crossway.dashboard.views.links import page_href
from crossway.domain.ledger import Account, BalanceKey
from crossway.ports.treasury_repository import PostingFilter
from crossway.usecases.money import books

DateRange = tuple[date | None, date | None]


def trial_balance() -> None:
    """Whether the books balance, followed by every account."""
    at = st.date_input(
        "As of", None, key="books_at", help="End of this day (UTC); empty for now", width=240
    )
    with notices.show_errors():
        trial = books.get_trial_balance(services(), operator(), at)
        if not trial.balances:
            notices.empty_state(
                "No postings yet",
                "The first deposit creates the first posting. Record the relayer's opening "
                "inventory on the Reconcile page.",
                "menu_book",
                partial(
                    widget.link_buttons,
                    (LinkButton("Reconcile", page_href("reconcile"), "rule"),),
                    "books_way",
                ),
            )
            return
        balanced, text = view.describe_balance_check(services(), trial)
        show, icon = (st.success, "balance") if balanced else (st.error, "error")
        show(notices.escape_markdown(text), icon=f":material/{icon}:")
        widget.table(view.build_summary_rows(trial), view.SUMMARY_COLUMNS, "accounts", "Accounts")
        st.header("By chain and token")
        with st.container(horizontal=True, gap="small"):
            only = _select("Account", view.list_accounts(trial), "only", _account_name)
            chain = _select(
                "Chain or provider", view.list_locations(trial), "place", _location_name
            )
        start = pagination.cursor("trial", (only, chain, at)) or 0
        page = view.build_trial_rows(services(), trial, only, chain, start)
        if page.rows:
            widget.table(page.rows, view.TRIAL_COLUMNS, "trial", "Trial balance")
        else:
            notices.empty_state("No matching balances", "Remove a filter.", "filter_alt_off")
        pagination.page_buttons("trial", page.older_than, "Next", newer="Previous")


def _select(label: str, options: list[str], key: str, name: Callable[[str], str]) -> str | None:
    if st.session_state.get(key) not in (None, *options):
        del st.session_state[key]
    return st.selectbox(
        label,
        options,
        index=None,
        key=key,
        placeholder="Any",
        bind="query-params",
        format_func=name,
    )


def _account_name(account: str) -> str:
    return status_labels.ACCOUNT_NAMES[Account(account)]


def _location_name(location: str) -> str:
    return location_name(services(), location)


def account(key: BalanceKey, days: DateRange) -> None:
    """One account: its opening and closing balance of a period, and its postings."""
    with notices.show_errors():
        first, last = books.day_range(*days)
        opening, closing = books.opening_and_closing_balance(
            services(), operator(), key, first, last
        )
        left, right = st.columns(2)
        text = f"Start of {format_day(days[0])}" if days[0] else "Before the first posting"
        left.metric(text, view.format_balance(services(), key, opening), border=True)
        text = f"End of {format_day(days[1])}" if days[1] else "Now"
        right.metric(text, view.format_balance(services(), key, closing), border=True)
    postings(key, days)


def postings(key: BalanceKey | None, days: DateRange) -> None:
    """Postings, newest first, in pages."""
    with notices.show_errors():
        first, last = books.day_range(*days)
        before = pagination.cursor("postings", (key, days))
        posting_filter = PostingFilter(key, first, last, before_id=before)
        page = view.load_postings(services(), operator(), posting_filter)
        if page.rows:
            widget.table(page.rows, view.POSTING_COLUMNS, "postings", "Postings")
        else:
            # Every installation begins without postings, which no other period has either.
            advice = "Choose another period." if any(days) else "The first deposit makes the first."
            notices.empty_state("No postings", advice, "event_busy")
        pagination.page_buttons("postings", page.older_than)


def date_range() -> DateRange:
    """A period of whole UTC days."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        first = st.date_input("From", None, key="books_first", help="UTC", width=240)
        last = st.date_input("To", None, key="books_last", help="Inclusive", width=240)
    return first, last


def export(key: BalanceKey | None, between: DateRange) -> None:
    """The selected period as files: opening balances, postings and closing balances."""
    caller = operator()
    with st.container(horizontal=True, gap="small"):
        for form in ("csv", "json"):
            st.download_button(
                f"Export as {form.upper()}",
                partial(view.write_export, services(), caller, form, between, key),
                file_name=view.export_file_name(form, between),
                mime="text/csv" if form == "csv" else "application/json",
                icon=":material/download:",
                key=f"books_{form}",
                # No rerun: it would discard the file being requested.
                on_click="ignore",
                help="Opening balances, every posting and closing balances of the chosen days, "
                "with exact amounts, smallest units and USD at the price then.",
            )
