"""One webhook: status, settings, secret, deliveries and available actions."""

import streamlit as st

from crossway.dashboard.components import deliveries as parts
from crossway.dashboard.components import (
    environment,
    live_fragment,
    missed_events,
    not_found,
    notices,
    one_time_secrets,
    webhooks,
    widget,
)
from crossway.dashboard.session import operator, rerun_unattended, services
from crossway.dashboard.views import webhooks as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

webhook_id = st.query_params.get("id") or ""


@live_fragment.fragment()
def head(drawn_status: str) -> None:
    with notices.show_errors():
        endpoint = view.get_webhook(services(), operator(), webhook_id)
        badge = view.status_badge(endpoint)
        st.badge(badge.text, icon=f":material/{badge.icon}:", color=badge.color, help=badge.hint)
        st.header("Details")
        widget.details(view.build_details(services(), endpoint), "webhook_facts", "Details")
        # The buttons are outside of this fragment: redraw the page when their availability changes.
        if badge.text != drawn_status:
            rerun_unattended()


with not_found.handle_not_found(
    "Webhook", LinkButton("All webhooks", page_href("webhooks"), "webhook")
):
    endpoint = view.get_webhook(services(), operator(), webhook_id)
    st.title(f"Webhook #{endpoint.id}")
    environment.other_mode_notice(endpoint.mode)
    one_time_secrets.pending_secret()
    missed_events.resend_missed(endpoint)
    webhooks.actions(endpoint)
    left, right = st.columns([3, 2], gap="large")
    with left:
        head(view.status_badge(endpoint).text)
    with right:
        st.header("Settings")
        with st.expander("Edit", icon=":material/edit:", key="change_fold"):
            webhooks.change(endpoint)
        with st.expander("Resend a period", icon=":material/replay:", key="replay_fold"):
            webhooks.resend_range(endpoint)
        audit_href = page_href("audit", about=f"webhook:{endpoint.id}")
        widget.link_buttons((LinkButton("Audit log", audit_href, "history"),), "webhook_ways")
    st.header("Deliveries")
    parts.delivery_list(endpoint.id)
