"""One address of a simulated chain: what it holds, what arrived, and the records it belongs to."""

import streamlit as st

from crossway.dashboard.components import explorer, live_fragment, not_found, notices, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import explorer as view
from crossway.dashboard.views import simulator
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.formatting import shorten
from crossway.dashboard.views.links import page_href

chain_id, address = st.query_params.get("chain", ""), st.query_params.get("address", "")


@live_fragment.fragment(refresh_seconds=10.0)
def body() -> None:
    with notices.show_errors():
        found = view.load_address(services(), operator(), chain_id, address)
        widget.details(view.build_address_details(services(), found), "address_facts", "Details")
        st.header("Balances")
        balances = view.build_balance_rows(services(), found)
        if balances:
            widget.table(balances, simulator.HOLDING_COLUMNS, "address_balances", "Balances")
        else:
            st.markdown("It holds nothing on this chain.")
        st.header("Transfers to it")
        rows = view.build_incoming_rows(services().catalogue, found)
        if rows:
            widget.table(rows, view.INCOMING_COLUMNS, "address_transfers", "Transfers to it")
        else:
            st.markdown(
                "No transfer to it is known. Those to Crossway's own accounts are not kept."
            )


with not_found.handle_not_found(
    "Address", LinkButton("All payments", page_href("intents"), "list_alt")
):
    found = view.load_address(services(), operator(), chain_id, address)
    st.title(f"Address {shorten(found.address)}")
    body()
    explorer.records(found.address)
