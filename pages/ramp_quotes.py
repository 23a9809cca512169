"""Ramp quotes: the providers side by side for one currency and amount."""

import streamlit as st

from crossway.dashboard import ramp_charts
from crossway.dashboard.components import notices, ramp_form, ramp_order_form, widget
from crossway.dashboard.components.charting import chart, shade
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import ramp_quotes

st.title("Ramp quotes")
ramp_order_form.forget_made()
ramp_form.take_link()
asked = ramp_form.asked()


@st.fragment
def compared() -> None:
    with notices.in_words(), st.skeleton(height=320):
        found = ramp_quotes.compared(services(), operator(), asked)
        if not found.rows:
            notices.empty("No provider can do this now", found.nobody, "link_off")
        else:
            st.markdown(f"**{notices.as_text(found.headline)}**")
            widget.table(found.rows, found.columns, "ramp_quotes", "Providers side by side")
            st.subheader("What the fees are made of")
            option = ramp_charts.fees_in_parts(found.parts, asked.currency, shade())
            chart(option, 100 + 40 * len(found.parts), "ramp_fees", found.headline)
            st.subheader("Ways to pay and to be paid")
            columns = ramp_quotes.CHANNEL_COLUMNS
            widget.table(found.channels, columns, "ramp_channels", "Payment channels")
        if found.left_out:
            st.subheader("Gave no quote, and why")
            columns = ramp_quotes.LEFT_OUT_COLUMNS
            widget.table(found.left_out, columns, "ramp_missing", "Providers that are missing")


compared()
