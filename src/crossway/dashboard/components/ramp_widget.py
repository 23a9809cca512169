"""A simulated provider's payment page: the order, paying, leaving."""

import streamlit as st

from crossway.dashboard.components import ramp_order, widget
from crossway.dashboard.components.actions import run_action
from crossway.dashboard.components.notices import escape_markdown
from crossway.dashboard.views import ramp_actions, ramp_status_labels
from crossway.dashboard.views.cells import Cell, Detail, LinkButton
from crossway.dashboard.views.fiat import format_fiat
from crossway.dashboard.views.formatting import format_amount, to_millis
from crossway.dashboard.views.links import order_href
from crossway.dashboard.views.ramp_order_detail import OrderDetail
from crossway.domain.ramps import OrderState, RampOrder


def action_state(order: RampOrder) -> str:
    """What the available actions depend on, as a string to compare."""
    return ramp_order.action_state(order)


def facts(story: OrderDetail) -> None:
    """The order as the provider's customer sees it."""
    order = story.order
    badge = ramp_status_labels.STATES[order.state]
    with st.container(border=True):
        st.subheader(escape_markdown(story.provider))
        rows = [
            Detail(
                "Amount due",
                Cell(format_fiat(order.fiat_minor, order.digits, order.currency), tone="strong"),
            ),
            Detail(
                "Receives", Cell(format_amount(order.crypto_units, order.decimals, order.symbol))
            ),
            Detail("Reference", Cell(order.provider_reference, mono=True)),
            Detail("Status", Cell(badges=(badge,))),
        ]
        if order.state is OrderState.INITIATED:
            left = Cell(at=to_millis(order.expires_at), as_="countdown", tone="strong")
            rows.append(Detail("Time left", left))
        widget.details(rows, "widget_facts", "Amount due")


def actions(story: OrderDetail) -> None:
    """Pay, or leave without paying."""
    order = story.order
    pays = next(
        action for action in ramp_actions.list_simulated_actions(order) if action.name == "paid"
    )
    local = format_fiat(order.fiat_minor, order.digits, order.currency)
    with st.container(horizontal=True, gap="small"):
        clicked = st.button(
            f"Pay {local} (simulated)",
            type="primary",
            icon=":material/payments:",
            disabled=bool(pays.disabled_reason),
            help=pays.disabled_reason or None,
        )
        leaving = "Leave without paying" if not pays.disabled_reason else "Back to the order"
        link = LinkButton(leaving, order_href(order.id), "arrow_back")
        widget.link_buttons((link,), "widget_leave", width="content")
    if clicked:
        run_action(lambda: ramp_order.report_outcome(order.id, pays))
