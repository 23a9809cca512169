"""Resending the events that a webhook missed: the button with their number, and the progress."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import live_fragment, notices
from crossway.dashboard.components.actions import run_action
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import webhooks as view
from crossway.domain.roles import Permission
from crossway.domain.webhooks import Endpoint
from crossway.ports.topics import Topic
from crossway.usecases.developers import missed_events
from crossway.usecases.developers.webhooks import WebhookUpdate, update_webhook

_BATCH = "resent"


def resend_missed(endpoint: Endpoint) -> None:
    """How many events the webhook missed, and the button that sends all of them again; below it
    how far the last resend of this page is."""
    with notices.show_errors():
        count = missed_events.count_missed(services(), operator(), endpoint.id)
        if count:
            _offer(endpoint, count)
    if _BATCH in st.query_params:
        _progress(endpoint.id, st.query_params[_BATCH])


def _offer(endpoint: Endpoint, count: int) -> None:
    caller = operator()
    st.markdown(view.describe_missed(count))
    allowed = Permission.OPERATE if endpoint.enabled else Permission.MANAGE
    if not caller.can(allowed):
        return
    label = view.resend_label(count, endpoint.enabled)
    if st.button(label, icon=":material/replay:", type="primary", key="resend_missed"):
        run_action(partial(_resend, endpoint))


def _resend(endpoint: Endpoint) -> str:
    if not endpoint.enabled:
        update_webhook(services(), operator(), endpoint.id, WebhookUpdate(enabled=True))
    resent = missed_events.resend_missed(services(), operator(), endpoint.id)
    st.query_params[_BATCH] = resent.batch
    return f"{view.count_events(resent.count)} queued again."


@live_fragment.fragment(Topic.WEBHOOKS)
def _progress(webhook_id: int, batch: str) -> None:
    with notices.show_errors():
        states = missed_events.count_batch(services(), operator(), webhook_id, batch)
        if states:
            share, text = view.describe_progress(states)
            st.progress(share, text)
