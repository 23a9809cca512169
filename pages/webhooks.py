"""Webhooks: every endpoint and how well events arrive there."""

import streamlit as st

from crossway.dashboard.components import living, notices, secrets, webhooks, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import webhooks as view

st.title("Webhooks")
secrets.shown()
client = webhooks.client_choice("Client", "client")


@living.part()
def rows() -> None:
    with notices.in_words():
        found = view.rows(services(), operator(), client)
        if found:
            widget.table(found, view.COLUMNS, "webhooks", "Webhooks")
        else:
            words = "Add one below: its secret is shown once, then it can be tried."
            notices.empty("No webhooks yet", words, "webhook")


rows()
with st.expander("New webhook", icon=":material/add:", key="new_webhook_fold"):
    webhooks.new_webhook()
