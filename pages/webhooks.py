"""Webhooks: all endpoints with their delivery health."""

import streamlit as st

from crossway.dashboard.components import live_fragment, notices, one_time_secrets, webhooks, widget
from crossway.dashboard.session import current_mode, operator, services
from crossway.dashboard.views import webhooks as view

st.title("Webhooks")
one_time_secrets.pending_secret()
client = webhooks.client_choice("Merchant", "client")


@live_fragment.fragment()
def rows() -> None:
    with notices.show_errors():
        table_rows = view.build_rows(services(), operator(), client)
        if table_rows:
            widget.table(table_rows, view.COLUMNS, "webhooks", "Webhooks")
        else:
            hint = "Add one below. Its secret is shown once; then send a test event."
            notices.empty_state(f"No {current_mode()} webhooks yet", hint, "webhook")


rows()
with st.expander("New webhook", icon=":material/add:", key="new_webhook_fold"):
    webhooks.new_webhook()
