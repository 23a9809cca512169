"""One ramp order's screen in its parts: head, how it is paid, actions, money and story."""

import streamlit as st

from crossway.dashboard.components import payment, widget
from crossway.dashboard.components.actions import buttons, confirm, perform
from crossway.dashboard.components.notices import as_text
from crossway.dashboard.components.rights import needing
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import money, ramp_wording
from crossway.dashboard.views import ramp_actions as offered
from crossway.dashboard.views import ramp_story as views
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.figures import duration
from crossway.dashboard.views.links import intent_href
from crossway.dashboard.views.offers import Offer
from crossway.dashboard.views.ramp_story import OrderStory
from crossway.domain.ramps import Direction, OrderState, RampOrder
from crossway.domain.roles import Right
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.ramps import sandbox as ramp_sandbox

_OPEN = (OrderState.PENDING, OrderState.INITIATED)


def stands(order: RampOrder) -> str:
    """What the buttons depend on, as one text to compare."""
    return f"{order.state} {order.paid_at}"


def head(story: OrderStory) -> None:
    """Status, the one-line summary, the steps, and who acts next."""
    order, chip = story.order, ramp_wording.STATES[story.order.state]
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.badge(chip.text, icon=f":material/{chip.icon}:", color=chip.color, help=chip.hint)
        kind = ramp_wording.KINDS[order.direction]
        st.markdown(as_text(f"{kind} · {views.money_line(story)} · {story.provider}"))
    widget.stepper(views.steps(story), "order_steps", "Where this order stands")
    left = ""
    if order.state in _OPEN:
        seconds = (order.expires_at - services().clock.now()).total_seconds()
        left = f" Time left: {duration(seconds)}." if seconds > 0 else ""
    who = ramp_wording.who_acts(order)
    st.info(as_text(f"Who acts next: {who}{left}"), icon=":material/person:")
    if order.failure_reason:
        st.error(as_text(ramp_wording.said(order, order.failure_reason)), icon=":material/error:")
    if order.intent_id is not None:
        label = "The payment that delivers it"
        if order.direction is Direction.OFF:
            label = "The payment that takes the crypto"
        way = Way(f"{label}, #{order.intent_id}", intent_href(order.intent_id), "list_alt")
        widget.ways((way,), "of_intent", width="content")


def to_be_paid(story: OrderStory) -> None:
    """How the user pays, while that is still to come."""
    order = story.order
    if order.state is OrderState.PENDING:
        with st.container(border=True):
            st.markdown(f"**{as_text(story.provider)} is being asked.**")
            st.markdown("It is asked again until it answers; how to pay will stand here.")
        return
    unpaid = order.state is OrderState.PROCESSING and order.paid_at is None
    if order.state is not OrderState.INITIATED and not unpaid:
        return
    with st.container(border=True):
        st.subheader("To be paid")
        if order.direction is Direction.OFF and story.intent is not None:
            payment.panel(services(), story.intent, "order_pay", order.expires_at)
            return
        widget.facts(offered.instructions(story), "order_how", "How the user pays")
        if order.widget_url:
            label = f"Open {story.provider}'s page to pay"
            st.link_button(
                label, order.widget_url, icon=":material/open_in_new:", type="primary"
            )  # fmt: skip


def body(story: OrderStory) -> None:
    """The request to pay while it is open, then facts, story and books."""
    order, names, fiat = story.order, services().catalogue, services().fiat
    to_be_paid(story)
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.subheader("Facts")
        widget.facts(views.key_facts(names, fiat, story), "order_facts", "Facts")
    with right:
        st.subheader("What happened")
        widget.timeline(views.timeline(story), "order_timeline", "What happened")
    st.subheader("Local money in the books")
    if story.postings:
        rows = money.ledger_rows(names, fiat, story.postings)
        widget.table(rows, money.LEDGER_COLUMNS, "order_ledger", "Local money in the books")
    else:
        st.markdown("No local money has moved.")
    with st.expander("Details for developers", icon=":material/code:"):
        widget.facts(views.detail_facts(names, story), "order_details", "Details")
        st.json(views.raw(order), expanded=False)


@needing(Right.WORK)
def actions(story: OrderStory) -> None:
    """What may be done now; on the simulated network what its provider is to report, too."""
    order = story.order
    clicked = buttons(offered.offers(order), "order")
    if services().ramp_sandbox is not None:
        st.badge("Simulated provider", icon=":material/science:", color="orange")
        clicked = buttons(offered.simulated_offers(order), "order_sim") or clicked
    if clicked is not None:
        _take(order, clicked)


def _take(order: RampOrder, offer: Offer) -> None:
    if offer.name == "confirm":
        confirm("Has the user paid?", offer.asks, "Yes, it is paid", lambda: _confirmed(order.id))
    elif offer.name == "cancel":
        confirm(
            "Cancel this order?", offer.asks, offer.label, lambda: _cancelled(order.id),
            no="Keep it",
        )  # fmt: skip
    else:
        perform(lambda: reported(order.id, offer))


def _confirmed(order_id: int) -> str:
    ramp_orders.confirm(services(), operator(), order_id)
    return f"Order {order_id} counts as paid by the user."


def _cancelled(order_id: int) -> str:
    ramp_orders.cancel(services(), operator(), order_id)
    return f"Order {order_id} is cancelled."


def reported(order_id: int, offer: Offer) -> str:
    """Let a sandbox provider report something."""
    ramp_sandbox.report(services(), operator(), order_id, offer.name)
    return f"Simulated: {offer.label}."
