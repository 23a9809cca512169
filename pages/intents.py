"""Payments: the live list with filters, saved views and export."""

import streamlit as st

from crossway.dashboard.components import listing, merchants, notices, payment_list, widget
from crossway.dashboard.components.filter_builder import filter_builder
from crossway.dashboard.session import current_mode
from crossway.dashboard.views import payment_filters, periods
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import export_buttons, page_href

PARAMS = ("show", merchants.PARAM, *periods.PARAMS, "all", "any")
st.title("Payments")
params: dict[str, str] = {}
with notices.show_errors():
    params = listing.read_filters("intents", PARAMS)
    listing.segmented_filter("Show", "show", list(payment_filters.QUICK_FILTERS), PARAMS)
    # Not in the row of the others, where a phone would cut it off instead of wrapping it.
    listing.period_filter(PARAMS)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        merchants.merchant_filter(PARAMS)
        filter_builder(PARAMS, params)
    listing.saved_views_bar("intents", PARAMS, params)

payment_list.act_on_selected()
payment_list.rows(params)
button = LinkButton("New payment", page_href("new_intent"), "add_circle", primary=True)
exports = export_buttons("payments", current_mode(), params)
widget.link_buttons((button, *exports), "intents_ways", width="content")
