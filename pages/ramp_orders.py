"""Orders: the live list of ramp orders with its filters, its saved views and its export."""

import streamlit as st

from crossway.dashboard.components import listing, living, notices, paging, ramp_form, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import ramp_orders
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import exports, link

PARAMS = ("show", "search", "type", "provider", "currency")
st.title("Ramp orders")
given: dict[str, str] = {}
with notices.in_words():
    given = listing.params("ramp_orders", PARAMS)
    listing.quick("Show", "show", list(ramp_orders.QUICK), PARAMS)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        listing.line("Search", "search", PARAMS, "Number, reference, address, hash")
        ramp_form.order_filters(PARAMS)
    listing.views("ramp_orders", PARAMS, given)


@living.part()
def rows() -> None:
    with notices.in_words():
        before = paging.before("orders", tuple(given.items()))
        wanted = ramp_orders.wanted(given, before)
        found = ramp_orders.listing(services(), operator(), wanted)
        if found.rows:
            count = f"{found.total:,} order{'' if found.total == 1 else 's'}"
            st.caption(f"{count}{paging.place('orders', found.older_than)}. Newest first, live.")
            widget.table(found.rows, ramp_orders.COLUMNS, "orders", "Ramp orders")
        elif given:
            notices.empty("No order matches", "Take a filter away, or search another way.")
        else:
            notices.empty("No orders yet", "Compare the providers and open the first one.")
        paging.turn("orders", found.older_than)


rows()
way = Way("Compare providers", link("ramp_quotes"), "currency_exchange", main=True)
widget.ways((way, *exports("ramp_orders", given)), "orders_ways", width="content")
