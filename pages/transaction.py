"""One transaction of a simulated chain: its block, its transfers and the records it belongs to."""

import streamlit as st

from crossway.dashboard.components import explorer, live_fragment, not_found, notices, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import explorer as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.formatting import shorten
from crossway.dashboard.views.links import page_href

chain_id, tx_hash = st.query_params.get("chain", ""), st.query_params.get("tx", "")


# Blocks follow one another by time alone.
@live_fragment.fragment(refresh_seconds=2.0)
def body() -> None:
    with notices.show_errors():
        tx = view.load_transaction(services(), operator(), chain_id, tx_hash)
        badge = view.status_badge(tx)
        st.badge(badge.text, icon=f":material/{badge.icon}:", color=badge.color, help=badge.hint)
        widget.details(view.build_details(services().catalogue, tx), "tx_facts", "Details")
        st.header("Token transfers")
        rows = view.build_transfer_rows(services().catalogue, tx)
        if rows:
            widget.table(rows, view.TRANSFER_COLUMNS, "tx_transfers", "Token transfers")
        else:
            st.markdown("It has moved no tokens.")


with not_found.handle_not_found(
    "Transaction", LinkButton("All payments", page_href("intents"), "list_alt")
):
    view.load_transaction(services(), operator(), chain_id, tx_hash)
    st.title(f"Transaction {shorten(tx_hash)}")
    body()
    explorer.records(tx_hash)
