"""Ramp orders: the live list with filters, saved views and export."""

import streamlit as st

from crossway.dashboard.components import (
    list_table,
    listing,
    live_fragment,
    merchants,
    notices,
    pagination,
    ramp_quote_form,
    widget,
)
from crossway.dashboard.session import current_mode, operator, services
from crossway.dashboard.views import merchant_names, periods, ramp_orders
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.links import export_buttons, page_href
from crossway.dashboard.views.list_pages import describe_order

PARAMS = ("show", merchants.PARAM, *periods.PARAMS, "search", "type", "provider", "currency")
st.title("Ramp orders")
params: dict[str, str] = {}
with notices.show_errors():
    params = listing.read_filters("ramp_orders", PARAMS)
    listing.segmented_filter("Show", "show", list(ramp_orders.QUICK_FILTERS), PARAMS)
    listing.period_filter(PARAMS)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        merchants.merchant_filter(PARAMS)
        listing.text_filter("Search", "search", PARAMS, "ID, reference, address or hash")
        ramp_quote_form.order_filters(PARAMS)
    listing.saved_views_bar("ramp_orders", PARAMS, params)


@live_fragment.fragment()
def rows() -> None:
    with notices.show_errors():
        own = list_table.own_view(
            "ramp_orders",
            merchant_names.offer_columns(client_names(services()), ramp_orders.OFFERED),
        )
        sort = own.sort_of_all
        cursor = pagination.cursor("orders", (tuple(params.items()), sort))
        filters = ramp_orders.build_filter(params, services().clock.now(), cursor, sort)
        page = ramp_orders.load_page(services(), operator(), filters, own.chosen)
        if page.rows:
            place = pagination.place("orders", page.older_than)
            text = f"{page.count}{place}. {describe_order(sort)}"
            data = widget.table_data(page.rows, own.columns, "Ramp orders", text)
            mode = current_mode()
            actions = (ramp_orders.export_action(mode),)
            list_table.table(data, "orders", own, actions, (mode, tuple(params.items())))
        elif params:
            notices.empty_state("No matching orders", "Remove a filter or change the search.")
        else:
            notices.empty_state(
                f"No {current_mode()} orders yet",
                "Compare the providers and create the first order.",
            )
        older, newer = pagination.button_labels(not filters.oldest_first)
        pagination.page_buttons("orders", page.older_than, older, newer=newer)


rows()
button = LinkButton(
    "Compare providers", page_href("ramp_quotes"), "currency_exchange", primary=True
)
exports = export_buttons("ramp_orders", current_mode(), params)
widget.link_buttons((button, *exports), "orders_ways", width="content")
