"""Orders: the live list of ramp orders with its filters, its search and its export."""

import streamlit as st

from crossway.dashboard.components import living, notices, ramp_form, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import ramp_orders
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import link

st.title("Ramp orders")
ramp_form.take_link()
quick = st.segmented_control(
    "Show", list(ramp_orders.QUICK), key="show", default=ramp_orders.EVERY, required=True,
    label_visibility="collapsed", bind="query-params",
)  # fmt: skip
with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
    search = st.text_input(
        "Search", key="search", type="search", bind="query-params",
        placeholder="Number, reference, address, hash",
    )  # fmt: skip
    direction, provider, currency = ramp_form.order_filters()
asked = (quick, search, direction, provider, currency)
if st.session_state.get("orders_asked") != asked:
    st.session_state.orders_asked = asked
    st.session_state.orders_pages = []
pages: list[int] = st.session_state.setdefault("orders_pages", [])
filters = ramp_orders.wanted(
    quick or ramp_orders.EVERY, direction, provider, currency, search, pages[-1] if pages else None
)


def older() -> None:
    pages.append(st.session_state.orders_older)


@living.part()
def rows() -> None:
    with notices.in_words():
        found = ramp_orders.listing(services(), operator(), filters)
        st.session_state.orders_older = found.older_than
        if not found.rows:
            if any(asked[1:]) or quick != ramp_orders.EVERY:
                notices.empty("No order matches", "Take a filter away, or search another way.")
            else:
                notices.empty("No orders yet", "Compare the providers and open the first one.")
            return
        count = f"{found.total:,} order{'' if found.total == 1 else 's'}"
        place = f", page {len(pages) + 1}" if pages or found.older_than else ""
        st.caption(f"{count}{place}. Newest first, live.")
        widget.table(found.rows, ramp_orders.COLUMNS, "orders", "Ramp orders")
        with st.container(horizontal=True, gap="small"):
            if pages:
                st.button("Newer", icon=":material/arrow_back:", on_click=pages.pop, key="newer")
            if found.older_than:
                st.button("Older", icon=":material/arrow_forward:", on_click=older, key="older")
    if st.session_state.get("orders_drawn") != len(pages):
        st.session_state.orders_drawn = len(pages)
        st.rerun()


rows()
with st.container(horizontal=True, gap="small"):
    way = Way("Compare providers", link("ramp_quotes"), "currency_exchange", main=True)
    widget.ways((way,), "orders_ways", width="content")
    st.download_button(
        "Export as CSV",
        lambda: ramp_orders.export(services(), operator(), filters),
        file_name="ramp_orders.csv",
        mime="text/csv",
        icon=":material/download:",
        help=f"The orders that the filters leave, at most {ramp_orders.EXPORT_MOST:,}.",
    )
