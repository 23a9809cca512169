"""Webhooks: all endpoints with their delivery health."""

import streamlit as st

from crossway.dashboard.components import (
    list_table,
    live_fragment,
    merchants,
    notices,
    one_time_secrets,
    webhooks,
)
from crossway.dashboard.session import current_mode, operator, services
from crossway.dashboard.views import webhooks as view
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.merchant_names import drop_lone_merchant

st.title("Webhooks")
one_time_secrets.pending_secret()
client = merchants.merchant_filter()


@live_fragment.fragment()
def rows() -> None:
    with notices.show_errors():
        table_rows = view.build_rows(services(), operator(), client)
        if table_rows:
            columns, shown = drop_lone_merchant(client_names(services()), view.COLUMNS, table_rows)
            list_table.row_table(shown, columns, "webhooks", "Webhooks", whole=True)
        elif client:
            notices.empty_state("No webhooks of this merchant", "Choose another one.", "webhook")
        else:
            hint = "Add one below. Its secret is shown once; then send a test event."
            notices.empty_state(f"No {current_mode()} webhooks yet", hint, "webhook")


rows()
with st.expander("New webhook", icon=":material/add:", key="new_webhook_fold"):
    webhooks.new_webhook()
