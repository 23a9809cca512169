"""Ramp quotes: all providers side by side for one currency and amount."""

import streamlit as st

from crossway.dashboard import ramp_charts
from crossway.dashboard.components import notices, ramp_order_form, ramp_quote_form, widget
from crossway.dashboard.components.charting import chart, theme_shade
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import ramp_quotes

st.title("Ramp quotes")
ramp_order_form.reset()
ramp_quote_form.apply_link_values()
form = ramp_quote_form.quote_inputs()


@st.fragment
def comparison_panel() -> None:
    with notices.show_errors(), st.skeleton(height=320):
        comparison = ramp_quotes.load_comparison(services(), operator(), form)
        if not comparison.rows:
            notices.empty_state("No provider available", comparison.empty_reason, "link_off")
        else:
            st.markdown(f"**{notices.escape_markdown(comparison.headline)}**")
            widget.table(
                comparison.rows, comparison.columns, "ramp_quotes", "Providers side by side"
            )
            st.subheader("Fee breakdown")
            option = ramp_charts.fee_breakdown(comparison.fee_parts, form.currency, theme_shade())
            chart(option, 100 + 40 * len(comparison.fee_parts), "ramp_fees", comparison.headline)
            st.subheader("Payment channels")
            columns = ramp_quotes.CHANNEL_COLUMNS
            widget.table(comparison.channels, columns, "ramp_channels", "Payment channels")
        if comparison.excluded:
            st.subheader("Unavailable providers")
            columns = ramp_quotes.EXCLUDED_COLUMNS
            widget.table(comparison.excluded, columns, "ramp_missing", "Unavailable providers")


comparison_panel()
