"""One merchant: fees, refund addresses, checkout branding and API keys."""

import streamlit as st

from crossway.dashboard.components import branding, clients, keys, not_found, notices, widget
from crossway.dashboard.session import services
from crossway.dashboard.views import clients as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

with not_found.handle_not_found(
    "Merchant", LinkButton("Merchants and API keys", page_href("keys"), "storefront")
):
    client = view.get_client(services(), st.query_params.get("id") or "")
    st.title(notices.escape_markdown(client.name))
    clients.form(client)
    st.header("Checkout branding")
    branding.form(client)
    st.header("API keys")
    keys.key_table(False, client.id, "client_keys")
    buttons = (
        LinkButton("New key", page_href("keys"), "key", primary=True),
        LinkButton("Webhooks", page_href("webhooks", client=client.id), "webhook"),
        LinkButton("API requests", page_href("requests", client=client.id), "swap_horiz"),
        LinkButton("Audit log", page_href("audit", about=f"client:{client.id}"), "history"),
    )
    widget.link_buttons(buttons, "client_ways")
