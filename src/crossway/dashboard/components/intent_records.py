"""One payment's screen in depth: ledger, transactions, webhooks, requests, and every record."""

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.components.actions import confirm
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import around, money
from crossway.dashboard.views import story as views
from crossway.domain.roles import Right
from crossway.usecases.developers import deliveries
from crossway.usecases.payments.tracking import Story


def advanced(story: Story) -> None:
    """The books, what was signed, what was told, what was asked, and the fine print."""
    names = services().catalogue
    st.subheader("Ledger")
    if story.postings:
        rows = money.ledger_rows(names, services().fiat, story.postings)
        widget.table(rows, money.LEDGER_COLUMNS, "ledger", "Ledger")
    else:
        st.markdown("No money has moved.")
    st.subheader("Signed transactions")
    signed = around.attempt_rows(names, story)
    if signed:
        widget.table(signed, around.ATTEMPT_COLUMNS, "attempts", "Signed transactions")
    else:
        st.markdown("Nothing has been signed yet.")
    _said(story)
    st.subheader("Details")
    widget.facts(views.detail_facts(names, story.intent), "details", "Details")


def _said(story: Story) -> None:
    found = around.around(services(), operator(), story.intent.id)
    st.subheader("Webhooks")
    if found.told:
        widget.table(found.told, around.TOLD_COLUMNS, "told", "Webhooks")
    else:
        st.markdown("Nobody was told of this payment: its client has no webhook for it.")
    st.subheader("Requests")
    if found.asked:
        widget.table(found.asked, around.ASKED_COLUMNS, "asked", "Requests")
    else:
        st.markdown("No request to the API was about this payment, as far as the log goes back.")


def send_again(story: Story) -> None:
    """Send one of the webhooks of this payment again."""
    if not operator().may(Right.WORK):
        return
    known = around.choices(services(), operator(), story.intent.id)
    if not known:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        chosen = st.selectbox(
            "A webhook of this payment", list(known), key="again", format_func=known.__getitem__,
            width=440,
        )  # fmt: skip
        if st.button("Send it again", key="send_again", icon=":material/replay:") and chosen:
            confirm(
                "Send this webhook again?",
                f"{known[chosen]}: the same event is sent to the same address once more.",
                "Send it again", lambda: _sent_again(chosen),
            )  # fmt: skip


def _sent_again(delivery_id: int) -> str:
    again, told = deliveries.replay(services(), operator(), delivery_id)
    return f"The event {told.type} goes out again as delivery {again.id}."


def records(story: Story) -> None:
    """Every record as it is stored, as JSON, and all of them as a file."""
    for title, found in views.records(story).items():
        # A title that changes would close what a person has opened.
        with st.expander(title, icon=":material/data_object:"):
            if isinstance(found, list):
                st.caption(f"{len(found):,} record{'' if len(found) == 1 else 's'}")
            st.json(views.raw(found), expanded=2)


def take_along(story: Story) -> None:
    """All records of a payment in one file."""
    st.download_button(
        "All records as JSON",
        lambda: views.raw(views.records(story)),
        file_name=f"payment-{story.intent.id}.json",
        mime="application/json",
        icon=":material/download:",
        on_click="ignore",
    )
