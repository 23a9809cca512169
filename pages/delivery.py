"""One webhook delivery: its body, its attempts and resending it."""

import streamlit as st

from crossway.dashboard.components import (
    deliveries,
    environment,
    live_fragment,
    not_found,
    notices,
    webhooks,
    widget,
)
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import deliveries as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import delivery_href, page_href, webhook_href

delivery_id = st.query_params.get("id") or ""


@live_fragment.fragment()
def body() -> None:
    with notices.show_errors():
        record = view.get_delivery(services(), operator(), delivery_id)
        badge = view.status_badge(record.delivery)
        st.badge(badge.text, icon=f":material/{badge.icon}:", color=badge.color, help=badge.hint)
        deliveries.delivery_detail(record)


with not_found.handle_not_found(
    "Delivery", LinkButton("All webhooks", page_href("webhooks"), "webhook")
):
    record = view.get_delivery(services(), operator(), delivery_id)
    st.title(f"Delivery #{record.delivery.id}")
    environment.other_mode_notice(record.event.mode)
    with st.container(horizontal=True, gap="small"):
        webhooks.resend(record.delivery.id)
        webhook_id = record.delivery.webhook_id
        buttons = [LinkButton(f"Webhook #{webhook_id}", webhook_href(webhook_id), "webhook")]
        if record.event.kind != "webhook":
            buttons.append(view.resource_link(record.event))
        if original_id := record.delivery.replay_of:
            buttons.append(
                LinkButton(f"Delivery #{original_id}", delivery_href(original_id), "history")
            )
        if resend_id := st.session_state.pop("replayed_as", None):
            buttons.append(
                LinkButton(
                    f"Delivery #{resend_id}", delivery_href(resend_id), "replay", primary=True
                )
            )
        widget.link_buttons(buttons, "delivery_ways", width="content")
    body()
