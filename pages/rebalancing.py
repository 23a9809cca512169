"""One rebalancing transfer: its story, transactions, postings and cost."""

import streamlit as st

from crossway.dashboard.components import live_fragment, not_found, notices, rebalancing, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import intent_money
from crossway.dashboard.views import rebalancing as transfers_view
from crossway.dashboard.views import rebalancing_detail as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

transfer_id = st.query_params.get("id") or ""


@live_fragment.fragment(refresh_seconds=rebalancing.FRESH_SECONDS)
def body() -> None:
    with notices.show_errors():
        story, catalogue = (
            view.load_story(services(), operator(), transfer_id),
            services().catalogue,
        )
        badge = transfers_view.STATES[story.record.transfer.state]
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge(badge.text, icon=f":material/{badge.icon}:", color=badge.color)
            st.markdown(notices.escape_markdown(view.describe_state(story)))
        widget.stepper(view.build_steps(story), "rebalancing_steps", "Steps")
        rebalancing.decide(story.record.transfer)
        widget.details(view.build_details(catalogue, story), "rebalancing_facts", "Details")
        st.header("Transactions")
        if story.txs:
            rows = view.build_tx_rows(catalogue, story)
            widget.table(rows, intent_money.OUTBOUND_TX_COLUMNS, "rebalancing_txs", "Transactions")
        else:
            st.markdown("No transaction yet. They appear here once the transfer is sent.")
        st.header("Ledger")
        if story.postings:
            ledger = intent_money.build_ledger_rows(catalogue, services().fiat, story.postings)
            widget.table(ledger, intent_money.LEDGER_COLUMNS, "rebalancing_ledger", "Ledger")
        else:
            st.markdown("Nothing was booked yet. The first transaction makes the first postings.")


with not_found.handle_not_found(
    "Rebalancing transfer", LinkButton("Treasury", page_href("treasury"), "account_balance")
):
    story = view.load_story(services(), operator(), transfer_id)
    st.title(f"Rebalancing #{story.record.transfer.id}")
    button = LinkButton("Treasury", page_href("treasury"), "account_balance")
    widget.link_buttons((button,), "rebalancing_ways", width="content")
    body()
