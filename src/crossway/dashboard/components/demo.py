"""The demo month's part of the simulator: fill the books with it, or empty them."""

import streamlit as st

from crossway.dashboard.components import notices
from crossway.dashboard.components.actions import perform
from crossway.dashboard.session import operator, services
from crossway.domain.roles import Right
from crossway.usecases.operating import demo

# How many payments a month may have, and how long they are played where nothing else runs.
_LASTS = {demo.USUAL_PAYMENTS: "some 20 seconds", 500: "about a minute", 3_000: "some six minutes"}


def month() -> None:
    """How much there is, and the two buttons."""
    payments, orders = demo.business(services())
    there = f"There are {payments:,} payments and {orders:,} ramp orders now."
    st.markdown(
        "A month of made-up business that ends now: merchants, payments on every chain, what goes "
        "wrong, ramp orders, webhooks and requests. The engine plays it with the clock in hand, so "
        f"the books balance and agree with the chains. {there}"
    )
    may = operator().may(Right.MANAGE)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        size = st.selectbox(
            "Payments", list(_LASTS), key="demo_size", width=140, format_func="{:,}".format,
        )  # fmt: skip
        if st.button("Fill with a demo month", icon=":material/calendar_month:", type="primary",
                     disabled=not may, help=None if may else _WHY_NOT):  # fmt: skip
            _fill(size, bool(payments or orders))
        if st.button("Back to empty", icon=":material/delete_sweep:", disabled=not may,
                     help=None if may else _WHY_NOT):  # fmt: skip
            _empty()


_WHY_NOT = "Only an admin can replace or remove what is there"


@st.dialog("Fill with a demo month", width="medium")
def _fill(size: int, something: bool) -> None:
    st.markdown(
        f"About {size:,} payments are played, which takes {_LASTS[size]}. Payments, orders, books "
        "and the simulated chains are replaced; people, clients, keys and the audit log stay."
    )
    agreed = not something or st.checkbox("What is there now may be lost", key="demo_agreed")
    if st.button("Fill", type="primary", key="demo_fill", disabled=not agreed):
        bar = st.progress(0.0, "It begins")

        def tell(done: float, words: str) -> None:
            bar.progress(min(done, 1.0), words)

        with notices.in_words():
            filled = demo.fill(services(), operator(), size, confirmed=agreed, tell=tell)
            notices.say(
                f"A month with {filled.payments:,} payments and {filled.orders:,} ramp orders is "
                "there."
            )
            st.rerun()


@st.dialog("Back to empty", width="medium")
def _empty() -> None:
    st.markdown(
        "Every payment, order, book entry and block is removed, and the clock runs as the "
        "machine's. People and the audit log stay."
    )
    keep = st.checkbox("Keep clients and their API keys", value=True, key="demo_keep")
    agreed = st.checkbox("What is there now may be lost", key="demo_lost")
    if st.button("Remove everything", type="primary", key="demo_empty", disabled=not agreed):
        perform(lambda: _emptied(keep))


def _emptied(keep: bool) -> str:
    demo.empty(services(), operator(), confirmed=True, keep_clients=keep)
    return "Everything is removed; the network begins anew."
