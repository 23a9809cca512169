"""One merchant: its figures and records, its keys and webhooks, and its settings."""

import streamlit as st

from crossway.dashboard.components import merchants, not_found, notices
from crossway.dashboard.session import services
from crossway.dashboard.views import clients as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

with not_found.handle_not_found(
    "Merchant", LinkButton("All merchants", page_href("merchants"), "storefront")
):
    client = view.get_client(services(), st.query_params.get("id") or "")
    st.title(notices.escape_markdown(client.name))
    merchants.page(client)
