"""One ramp order: status, payment instructions, timeline and available actions."""

import streamlit as st

from crossway.dashboard.components import environment, live_fragment, notices, widget
from crossway.dashboard.components import ramp_order as parts
from crossway.dashboard.components.navigation import open_page
from crossway.dashboard.session import operator, rerun_unattended, services
from crossway.dashboard.views import ramp_order_detail
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

identifier = st.query_params.get("id") or ""


@live_fragment.fragment()
def body(order_id: int) -> None:
    with notices.show_errors():
        parts.body(ramp_order_detail.load_order_detail(services(), operator(), order_id))


@live_fragment.fragment()
def head(order_id: int, drawn_state: str) -> None:
    with notices.show_errors():
        detail = ramp_order_detail.load_order_detail(services(), operator(), order_id)
        parts.header(detail)
        # The buttons are outside of this fragment: redraw the page when their availability changes.
        if parts.action_state(detail.order) != drawn_state:
            rerun_unattended()


with notices.show_errors():
    matches = ramp_order_detail.search_orders(services(), operator(), identifier)
    if len(matches) > 1:
        open_page("ramp_orders", search=identifier)
    if not matches:
        st.title("Ramp order")
        message = (
            f"No order found for “{identifier}”." if identifier else "No order ID in the link."
        )
        notices.empty_state(message, "Search above or choose one from the list.", "search_off")
        widget.link_buttons(
            (LinkButton("All ramp orders", page_href("ramp_orders"), "receipt_long"),), "to_list"
        )
    else:
        st.title(f"Ramp order #{matches[0].id}")
        environment.other_mode_notice(matches[0].mode)
        head(matches[0].id, parts.action_state(matches[0]))
        parts.actions(ramp_order_detail.load_order_detail(services(), operator(), matches[0].id))
        body(matches[0].id)
