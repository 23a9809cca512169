"""One webhook: its health, its deliveries, its secret, and what may be done with it."""

import streamlit as st

from crossway.dashboard.components import deliveries as parts
from crossway.dashboard.components import living, missing, notices, secrets, webhooks, widget
from crossway.dashboard.session import operator, redraw, services
from crossway.dashboard.views import webhooks as view
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link

wanted = st.query_params.get("id") or ""


@living.part()
def head(drawn: str) -> None:
    with notices.in_words():
        endpoint = view.one(services(), operator(), wanted)
        chip = view.state(endpoint)
        st.badge(chip.text, icon=f":material/{chip.icon}:", color=chip.color, help=chip.hint)
        st.header("Facts")
        widget.facts(view.facts(services(), endpoint), "webhook_facts", "Facts")
        # The buttons stand outside this part: when what they allow changes, draw all anew.
        if chip.text != drawn:
            redraw()


with missing.told("Webhook", Way("To the list of webhooks", link("webhooks"), "webhook")):
    endpoint = view.one(services(), operator(), wanted)
    st.title(f"Webhook #{endpoint.id}")
    secrets.shown()
    webhooks.actions(endpoint)
    left, right = st.columns([3, 2], gap="large")
    with left:
        head(view.state(endpoint).text)
    with right:
        st.header("Settings")
        with st.expander("Change it", icon=":material/edit:", key="change_fold"):
            webhooks.change(endpoint)
        with st.expander("Replay a time", icon=":material/replay:", key="replay_fold"):
            webhooks.replay_range(endpoint)
        about = link("audit", about=f"webhook:{endpoint.id}")
        widget.ways((Way("Who changed it", about, "history"),), "webhook_ways")
    st.header("Deliveries")
    parts.listed(endpoint.id)
