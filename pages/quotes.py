"""Quotes: one destination against every source chain."""

import streamlit as st

from crossway.dashboard import charts
from crossway.dashboard.components import notices, widget
from crossway.dashboard.components.charting import chart, shade
from crossway.dashboard.components.filters import chain_choice, token_choice
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import quotes

st.title("Quotes")
first, second, third, fourth = st.columns([2, 3, 3, 2], vertical_alignment="bottom", gap="small")
# The chain is drawn first: the tokens to choose from are those of the chain.
with third:
    chain = chain_choice("On chain", "to_chain", "BASE_MAINNET")
with second:
    token = token_choice("Token", "token_out", chain)
amount = first.text_input("Recipient gets", "25", key="amount", bind="query-params")
fourth.button("Ask again", icon=":material/refresh:", width="stretch")


@st.fragment
def compared() -> None:
    with notices.in_words(), st.skeleton(height=320):
        with_token = st.session_state.get("pay_with") or "USDC"
        found = quotes.compared(services(), operator(), chain, token, amount, with_token)
        if not found.rows:
            notices.empty("No chain can pay this now", "The reasons are below.", "link_off")
        else:
            st.markdown(f"**{notices.as_text(found.headline)}**")
            st.selectbox(
                "Payer pays with", found.symbols, key="pay_with", width=220, persist_state="page"
            )
            table, picture = st.columns([4, 3], gap="large")
            with table:
                widget.table(found.rows, quotes.COLUMNS, "quotes", "Ways to pay")
            with picture:
                st.subheader("Fee against time")
                chart(charts.fee_against_time(found.points, shade()), 460, "fees", found.headline)
        if found.missing:
            st.subheader("Not offered, and why")
            columns = quotes.MISSING_COLUMNS
            widget.table(found.missing, columns, "missing", "Chains that are missing")


compared()
