"""A simulated provider's page in its parts: what is to be paid, paying, leaving."""

import streamlit as st

from crossway.dashboard.components import ramp_order, widget
from crossway.dashboard.components.actions import perform
from crossway.dashboard.components.notices import as_text
from crossway.dashboard.views import ramp_actions, ramp_wording
from crossway.dashboard.views.cells import Cell, Fact, Way
from crossway.dashboard.views.fiat import fiat_amount
from crossway.dashboard.views.figures import amount, millis
from crossway.dashboard.views.links import order_href
from crossway.dashboard.views.ramp_story import OrderStory
from crossway.domain.ramps import OrderState, RampOrder


def stands(order: RampOrder) -> str:
    """What the buttons depend on."""
    return ramp_order.stands(order)


def facts(story: OrderStory) -> None:
    """The order as its provider's customer sees it."""
    order = story.order
    chip = ramp_wording.STATES[order.state]
    with st.container(border=True):
        st.subheader(as_text(story.provider))
        shown = [
            Fact("To pay", Cell(
                fiat_amount(order.fiat_minor, order.digits, order.currency), tone="strong"
            )),
            Fact("For", Cell(amount(order.crypto_units, order.decimals, order.symbol))),
            Fact("Reference", Cell(order.provider_reference, mono=True)),
            Fact("Status", Cell(chips=(chip,))),
        ]  # fmt: skip
        if order.state is OrderState.INITIATED:
            left = Cell(at=millis(order.expires_at), as_="countdown", tone="strong")
            shown.append(Fact("Time left", left))
        widget.facts(shown, "widget_facts", "What is to be paid")


def actions(story: OrderStory) -> None:
    """Pay, or leave without paying."""
    order = story.order
    pays = next(one for one in ramp_actions.simulated_offers(order) if one.name == "paid")
    local = fiat_amount(order.fiat_minor, order.digits, order.currency)
    with st.container(horizontal=True, gap="small"):
        clicked = st.button(
            f"Pay {local} (simulated)", type="primary", icon=":material/payments:",
            disabled=bool(pays.why_not), help=pays.why_not or None,
        )  # fmt: skip
        leaving = "Leave without paying" if not pays.why_not else "Back to the order"
        way = Way(leaving, order_href(order.id), "arrow_back")
        widget.ways((way,), "widget_leave", width="content")
    if clicked:
        perform(lambda: ramp_order.reported(order.id, pays))
