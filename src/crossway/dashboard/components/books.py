"""The books: whether they balance, their accounts, an account's postings, their export."""

from collections.abc import Callable
from datetime import date
from functools import partial

import streamlit as st

from crossway.dashboard.components import notices, paging, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import books as view
from crossway.dashboard.views import wording
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link
from crossway.domain.ledger import Account, BalanceKey
from crossway.ports.treasury_records import PostingFilter
from crossway.usecases.money import books

Days = tuple[date | None, date | None]


def trial_balance() -> None:
    """Whether the books balance, then every account."""
    at = st.date_input(
        "At the end of", None, key="books_at", help="A day of UTC; empty for now", width=240
    )
    with notices.in_words():
        trial = books.trial(services(), operator(), at)
        if not trial.lines:
            notices.empty(
                "Nothing is booked yet",
                "The first deposit of a payment is the first line. The relayer's stock is taken in "
                "on the page Reconcile.",
                "menu_book",
                partial(widget.ways, (Way("Reconcile", link("reconcile"), "rule"),), "books_way"),
            )
            return
        good, words = view.verdict(services(), trial)
        tell, icon = (st.success, "balance") if good else (st.error, "error")
        tell(notices.as_text(words), icon=f":material/{icon}:")
        widget.table(view.summary(trial), view.SUMMARY_COLUMNS, "accounts", "Accounts")
        st.header("By chain and token")
        with st.container(horizontal=True, gap="small"):
            only = _choice("Account", view.accounts_of(trial), "only", _account_name)
            chain = _choice("Chain or provider", view.places_of(trial), "place", _place_name)
        start = paging.before("trial", (only, chain, at)) or 0
        found = view.lines(services(), trial, only, chain, start)
        if found.rows:
            widget.table(found.rows, view.TRIAL_COLUMNS, "trial", "Trial balance")
        else:
            notices.empty("No line matches", "Take a filter away.", "filter_alt_off")
        paging.turn("trial", found.older_than, "More lines", newer="Lines before")


def _choice(label: str, known: list[str], key: str, name: Callable[[str], str]) -> str | None:
    if st.session_state.get(key) not in (None, *known):
        del st.session_state[key]
    return st.selectbox(
        label, known, index=None, key=key, placeholder="Any", bind="query-params",
        format_func=name,
    )  # fmt: skip


def _account_name(account: str) -> str:
    return wording.ACCOUNTS[Account(account)]


def _place_name(place: str) -> str:
    return view.place_name(services(), place)


def account(key: BalanceKey, days: Days) -> None:
    """One account: what it stood at before and after a range of days, and its postings."""
    with notices.in_words():
        first, last = books.period(*days)
        opening, closing = books.standing(services(), operator(), key, first, last)
        left, right = st.columns(2)
        words = f"At the start of {days[0]:%d %b %Y}" if days[0] else "Before the first posting"
        left.metric(words, view.balance(services(), key, opening), border=True)
        words = f"At the end of {days[1]:%d %b %Y}" if days[1] else "Now"
        right.metric(words, view.balance(services(), key, closing), border=True)
    postings(key, days)


def postings(key: BalanceKey | None, days: Days) -> None:
    """Postings, newest first, a page at a time."""
    with notices.in_words():
        first, last = books.period(*days)
        before = paging.before("postings", (key, days))
        wanted = PostingFilter(key, first, last, before_id=before)
        found = view.listing(services(), operator(), wanted)
        if found.rows:
            widget.table(found.rows, view.POSTING_COLUMNS, "postings", "Postings")
        else:
            notices.empty("Nothing was posted", "Choose other days.", "event_busy")
        paging.turn("postings", found.older_than)


def days() -> Days:
    """Between which days, of UTC."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        first = st.date_input("From", None, key="books_first", help="Days of UTC", width=240)
        last = st.date_input("To", None, key="books_last", help="This day included", width=240)
    return first, last


def export(key: BalanceKey | None, between: Days) -> None:
    """The chosen days as files: opening balances, every posting, closing balances."""
    caller = operator()
    with st.container(horizontal=True, gap="small"):
        for form in ("csv", "json"):
            st.download_button(
                f"Export as {form.upper()}",
                partial(view.file_of, services(), caller, form, between, key),
                file_name=view.file_name(form, between),
                mime="text/csv" if form == "csv" else "application/json",
                icon=":material/download:",
                key=f"books_{form}",
                # The screen stays as it is: drawn anew, it would forget a file that is asked for.
                on_click="ignore",
                help="Opening balances, every posting and closing balances of the chosen days, "
                "with exact amounts, smallest units and USD at the price then.",
            )
