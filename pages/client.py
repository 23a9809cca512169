"""One client: its terms, where its refunds go, how it shows itself, its keys."""

import streamlit as st

from crossway.dashboard.components import clients, keys, looks, missing, widget
from crossway.dashboard.session import services
from crossway.dashboard.views import clients as view
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link

with missing.told("Client", Way("To clients and keys", link("keys"), "storefront")):
    client = view.one(services(), st.query_params.get("id") or "")
    st.title(client.name)
    clients.form(client)
    st.header("Payers' pages")
    looks.form(client)
    st.header("Keys")
    keys.table(False, client.id, "client_keys")
    ways = (
        Way("New key", link("keys"), "key", main=True),
        Way("Its webhooks", link("webhooks", client=client.id), "webhook"),
        Way("What it asked", link("requests", client=client.id), "swap_horiz"),
        Way("Who changed it", link("audit", about=f"client:{client.id}"), "history"),
    )
    widget.ways(ways, "client_ways")
