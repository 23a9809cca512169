"""What belongs to one record: its entries of the audit log, and what was told of it."""

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import audit as view
from crossway.dashboard.views import related_records
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href
from crossway.domain.ramps import RampOrder

_MAX_ENTRIES = 20


def order_deliveries(order: RampOrder) -> None:
    """The webhook deliveries that tell of a ramp order."""
    st.subheader("Webhooks")
    rows = related_records.load_order_deliveries(services(), operator(), order)
    if rows:
        widget.table(rows, related_records.DELIVERY_COLUMNS, "order_told", "Webhooks")
    else:
        st.markdown("No deliveries: the merchant has no webhook for this order's events.")


def entries(subject: str, key: str) -> None:
    """The entries about a subject such as `intent:12`, with the way to all of them."""
    st.subheader("Audit log")
    rows = view.load_of(services(), operator(), subject, _MAX_ENTRIES)
    if not rows:
        st.markdown("No entries: nobody has changed anything by hand.")
        return
    widget.table(rows, view.COLUMNS, key, "Audit log")
    ways = (LinkButton("In the audit log", page_href("audit", about=subject), "history"),)
    widget.link_buttons(ways, f"{key}_ways", width="content")
