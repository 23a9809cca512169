"""Quotes: one destination against every source chain."""

import streamlit as st

from crossway.dashboard.components import notices, widget
from crossway.dashboard.components.asset_inputs import chain_choice, token_choice
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import quotes

st.title("Quotes")
amount_column, token_column, chain_column, button_column = st.columns(
    [2, 3, 3, 2], vertical_alignment="bottom", gap="small"
)
# The chain input is drawn first because it determines the list of tokens.
with chain_column:
    chain = chain_choice("On chain", "to_chain", "BASE_MAINNET")
with token_column:
    token = token_choice("Token", "token_out", chain)
amount = amount_column.text_input("Recipient gets", "25", key="amount", bind="query-params")
button_column.button("Refresh", icon=":material/refresh:", width="stretch")


@st.fragment
def comparison_panel() -> None:
    with notices.show_errors(), st.skeleton(height=320):
        with_token = st.session_state.get("pay_with") or "USDC"
        comparison = quotes.load_comparison(
            services(), operator(), chain, token, amount, with_token
        )
        if not comparison.rows:
            notices.empty_state(
                "No chain can pay this amount now", "See the reasons below.", "link_off"
            )
        else:
            st.markdown(f"**{notices.escape_markdown(comparison.headline)}** {comparison.trust}")
            st.selectbox(
                "Payer pays with",
                comparison.symbols,
                key="pay_with",
                width=220,
                persist_state="page",
            )
            table_column, chart_column = st.columns([4, 3], gap="large")
            with table_column:
                widget.table(comparison.rows, quotes.COLUMNS, "quotes", "Payment options")
            with chart_column:
                st.subheader("Fee vs. time")
                widget.fee_time_chart(comparison.points, "fees", comparison.headline)
        if comparison.missing:
            st.subheader("Unavailable chains")
            columns = quotes.MISSING_COLUMNS
            widget.table(comparison.missing, columns, "missing", "Unavailable chains")


comparison_panel()
