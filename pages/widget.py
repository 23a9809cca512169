"""A simulated provider's hosted page for payments and KYC; `reference` is the order's."""

import streamlit as st

from crossway.dashboard.components import notices, ramp_sandbox, ramp_widget, widget
from crossway.dashboard.session import operator, rerun_unattended, services
from crossway.dashboard.views import ramp_order_detail
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

reference = st.query_params.get("reference") or ""


@st.fragment(run_every=1.0)
def live(order_id: int, drawn_state: str) -> None:
    with notices.show_errors():
        detail = ramp_order_detail.load_order_detail(services(), operator(), order_id)
        ramp_widget.facts(detail)
        if ramp_widget.action_state(detail.order) != drawn_state:
            rerun_unattended()


def provider_page() -> None:
    """The provider's page for an order, or its identity check."""
    st.markdown("In the live environment this is the provider's own page. No real money moves.")
    with notices.show_errors():
        matches = ramp_order_detail.search_orders(services(), operator(), reference)
        if matches:
            live(matches[0].id, ramp_widget.action_state(matches[0]))
            ramp_widget.actions(
                ramp_order_detail.load_order_detail(services(), operator(), matches[0].id)
            )
        elif reference:
            notices.empty_state(
                "Order not found", f"No order has the reference “{reference}”.", "search_off"
            )
            widget.link_buttons(
                (LinkButton("All ramp orders", page_href("ramp_orders"), "receipt_long"),),
                "to_list",
            )
        else:
            st.subheader("Customer identity")
            ramp_sandbox.kyc_status()


st.title("Simulated provider page")
if services().ramp_sandbox is None:
    notices.empty_state(
        "This is the live environment", "The simulator is not available here.", "public"
    )
else:
    provider_page()
