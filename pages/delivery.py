"""One delivery of a webhook: what was sent, what was answered each time, sending it again."""

import streamlit as st

from crossway.dashboard.components import deliveries, living, missing, notices, webhooks, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import deliveries as view
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import delivery_href, link, webhook_href

wanted = st.query_params.get("id") or ""


@living.part()
def body() -> None:
    with notices.in_words():
        seen = view.one(services(), operator(), wanted)
        chip = view.state(seen.delivery)
        st.badge(chip.text, icon=f":material/{chip.icon}:", color=chip.color, help=chip.hint)
        deliveries.body(seen)


with missing.told("Delivery", Way("To the list of webhooks", link("webhooks"), "webhook")):
    found = view.one(services(), operator(), wanted)
    st.title(f"Delivery #{found.delivery.id}")
    with st.container(horizontal=True, gap="small"):
        webhooks.replay(found.delivery.id)
        webhook = found.delivery.webhook_id
        ways = [Way(f"Webhook #{webhook}", webhook_href(webhook), "webhook")]
        if found.announcement.kind != "webhook":
            ways.append(view.about(found.announcement))
        if repeats := found.delivery.replay_of:
            ways.append(Way(f"Delivery #{repeats}", delivery_href(repeats), "history"))
        if again := st.session_state.pop("replayed_as", None):
            ways.append(Way(f"Delivery #{again}", delivery_href(again), "replay", main=True))
        widget.ways(ways, "delivery_ways", width="content")
    body()
