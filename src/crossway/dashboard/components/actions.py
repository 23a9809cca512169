"""Buttons that do something: asked once where money moves, refused in words, told when done."""

from collections.abc import Callable, Sequence

import streamlit as st

from crossway.dashboard.components.notices import as_text, in_words, say
from crossway.dashboard.session import operator, services
from crossway.dashboard.views.offers import Offer
from crossway.usecases.money.confirmation import Sum, is_needed

Work = Callable[[], str]


def confirm(
    title: str, asks: str, label: str, work: Work, warning: str = "", no: str = "Cancel"
) -> None:
    """Ask once in a dialog; `work` does it and answers what was done, `no` leaves it."""

    @st.dialog(title, width="medium")
    def ask() -> None:
        st.markdown(as_text(asks))
        if warning:
            st.warning(warning, icon=":material/science:")
        with st.container(horizontal=True, horizontal_alignment="right"):
            if st.button(no, key="confirm_no"):
                st.rerun()
            agreed = st.button(label, key="confirm_yes", type="primary")
        if agreed:
            perform(work)

    ask()


def confirm_with_text(
    title: str, asks: str, field: str, label: str, work: Callable[[str], str]
) -> None:
    """As `confirm`, with one line to type."""

    @st.dialog(title, width="medium")
    def ask() -> None:
        st.markdown(as_text(asks))
        typed = st.text_input(field, key="confirm_text")
        with st.container(horizontal=True, horizontal_alignment="right"):
            if st.button("Cancel", key="confirm_no"):
                st.rerun()
            agreed = st.button(label, key="confirm_yes", type="primary")
        if agreed and not typed.strip():
            st.error(f"{field}: type something first.")
        elif agreed:
            perform(lambda: work(typed.strip()))

    ask()


def confirm_money(
    title: str,
    asks: str,
    label: str,
    moved: Sum,
    work: Callable[[str, str], str],
    field: str = "",
) -> None:
    """As `confirm`, for money: above the limit of this installation its amount is typed again. The
    work is given what was typed into the `field`, where there is one, and the amount."""
    again = is_needed(services(), operator(), moved)

    @st.dialog(title, width="medium")
    def ask() -> None:
        st.markdown(as_text(asks))
        text = st.text_input(field, key="confirm_text") if field else ""
        amount = ""
        if again:
            st.warning(
                as_text(f"So much is confirmed twice: {moved.words}."), icon=":material/paid:"
            )
            amount = st.text_input(f"Type the amount, {moved.symbol}", key="confirm_amount")
        with st.container(horizontal=True, horizontal_alignment="right"):
            if st.button("Cancel", key="confirm_no"):
                st.rerun()
            agreed = st.button(label, key="confirm_yes", type="primary")
        if agreed and field and not text.strip():
            st.error(f"{field}: type something first.")
        elif agreed:
            perform(lambda: work(text.strip(), amount))

    ask()


def perform(work: Work) -> None:
    """Do it, say what was done and draw the screen anew; a refusal stays where it was asked."""
    with in_words():
        with st.spinner("Working…"):
            done = work()
        say(done)
        st.rerun()


def buttons(offers: Sequence[Offer], key: str) -> Offer | None:
    """One button an offer, those not allowed greyed with the reason; answers the one clicked."""
    clicked = None
    allowed = [offer for offer in offers if offer.main and not offer.why_not]
    with st.container(horizontal=True, gap="small"):
        for offer in offers:
            primary = allowed[:1] == [offer]
            if st.button(
                offer.label,
                key=f"{key}_{offer.name}_{offer.subject or ''}",
                icon=f":material/{offer.icon}:",
                type="primary" if primary else "secondary",
                disabled=bool(offer.why_not),
                help=offer.why_not or None,
            ):
                clicked = offer
    return clicked
