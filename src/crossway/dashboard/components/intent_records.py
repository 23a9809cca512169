"""One payment in depth: ledger, transactions, webhooks, requests and raw records."""

from dataclasses import asdict

import streamlit as st

from crossway.dashboard.components import record_log, widget
from crossway.dashboard.components.actions import confirm
from crossway.dashboard.components.notices import older_records
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import intent_detail as views
from crossway.dashboard.views import intent_money, related_records
from crossway.domain.roles import Permission
from crossway.usecases.developers import deliveries
from crossway.usecases.payments.timeline import IntentTimeline


def advanced(story: IntentTimeline) -> None:
    """Ledger, signed transactions, webhooks, requests and technical details."""
    names = services().catalogue
    st.subheader("Ledger")
    if story.postings:
        rows = intent_money.build_ledger_rows(names, services().fiat, story.postings)
        widget.table(rows, intent_money.LEDGER_COLUMNS, "ledger", "Ledger")
        older_records(story.hidden.postings, "posting")
    else:
        st.markdown("No postings yet. The first deposit makes the first one.")
    st.subheader("Signed transactions")
    signed = related_records.build_attempt_rows(names, story)
    if signed:
        widget.table(signed, related_records.ATTEMPT_COLUMNS, "attempts", "Signed transactions")
    else:
        st.markdown("No transactions signed yet. They appear here once the payment is started.")
    _related_records(story)
    record_log.entries(f"intent:{story.intent.id}", "payment_log")
    st.subheader("Details")
    widget.details(views.build_technical_details(services(), story.intent), "details", "Details")


def _related_records(story: IntentTimeline) -> None:
    related = related_records.load_related_records(services(), operator(), story.intent.id)
    st.subheader("Webhooks")
    if related.deliveries:
        widget.table(related.deliveries, related_records.DELIVERY_COLUMNS, "told", "Webhooks")
    else:
        st.markdown("No deliveries: the merchant has no webhook for this payment's events.")
    st.subheader("Requests")
    if related.requests:
        widget.table(related.requests, related_records.REQUEST_COLUMNS, "asked", "Requests")
    else:
        st.markdown("No API requests for this payment in the request log.")


def resend_webhook(story: IntentTimeline) -> None:
    """Resend one of this payment's webhooks."""
    if not operator().can(Permission.OPERATE):
        return
    choices = related_records.list_delivery_choices(services(), operator(), story.intent.id)
    if not choices:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Webhook delivery",
            list(choices),
            key="again",
            format_func=choices.__getitem__,
            width=440,
        )
        if st.button("Resend", key="send_again", icon=":material/replay:") and chosen:
            confirm(
                "Resend this webhook?",
                f"{choices[chosen]}: the same event is sent to the same URL again.",
                "Resend",
                lambda: _resend(chosen),
            )


def _resend(delivery_id: int) -> str:
    delivery, event = deliveries.replay_delivery(services(), operator(), delivery_id)
    return f"The event {event.type} is resent as delivery {delivery.id}."


def records(story: IntentTimeline) -> None:
    """Every stored record as JSON."""
    if any(asdict(story.hidden).values()):
        st.caption("Only the newest records are shown. The download below has all of them.")
    for title, related in views.collect_records(story).items():
        # The title must stay the same, or the expander closes.
        with st.expander(title, icon=":material/data_object:"):
            if isinstance(related, list):
                st.caption(f"{len(related):,} record{'' if len(related) == 1 else 's'}")
            st.json(views.to_raw_json(related), expanded=2)


def download_records(story: IntentTimeline) -> None:
    """All records of a payment as one file."""
    st.download_button(
        "Download all records as JSON",
        lambda: views.all_records_json(services(), operator(), story.intent.id),
        file_name=f"payment-{story.intent.id}.json",
        mime="application/json",
        icon=":material/download:",
        on_click="ignore",
    )
