"""One ramp order's page: status, payment instructions, actions, amounts and timeline."""

import streamlit as st

from crossway.dashboard.components import payment_panel, record_log, widget
from crossway.dashboard.components.actions import buttons, confirm, run_action
from crossway.dashboard.components.notices import escape_markdown
from crossway.dashboard.components.permissions import requires
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import (
    intent_money,
    inventory_transfers,
    ramp_bridge,
    ramp_status_labels,
)
from crossway.dashboard.views import ramp_actions as offered
from crossway.dashboard.views import ramp_order_detail as views
from crossway.dashboard.views.available_actions import AvailableAction
from crossway.dashboard.views.cells import Detail, LinkButton
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.formatting import format_duration
from crossway.dashboard.views.kyc_checks import check_href
from crossway.dashboard.views.links import intent_href
from crossway.dashboard.views.merchant_names import merchant_cell
from crossway.dashboard.views.ramp_order_detail import OrderDetail
from crossway.domain.ramps import Direction, OrderState, RampOrder
from crossway.domain.roles import Permission
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.simulator import ramp_controls as ramp_sandbox


def action_state(order: RampOrder) -> str:
    """What the available actions depend on, as a string to compare."""
    return f"{order.state} {order.paid_at}"


def header(story: OrderDetail) -> None:
    """Status badge, summary, progress, and who acts next."""
    order, badge = story.order, ramp_status_labels.STATES[story.order.state]
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        late = (ramp_status_labels.LATE,) if order.delay_reason else ()
        for mark in (badge, *late):
            st.badge(mark.text, icon=f":material/{mark.icon}:", color=mark.color, help=mark.hint)
        kind = ramp_status_labels.DIRECTIONS[order.direction]
        st.markdown(escape_markdown(f"{kind} · {views.format_exchange(story)} · {story.provider}"))
    moved = story.payment.inventory_transfers if story.payment else ()
    awaited = inventory_transfers.build_step(services().catalogue, moved)
    widget.stepper(views.build_steps(story, awaited), "order_steps", "Order progress")
    next_action, due_at = views.describe_next_action(story)
    left = ""
    if due_at is not None:
        seconds = (due_at - services().clock.now()).total_seconds()
        left = f" Time left: {format_duration(seconds)}." if seconds > 0 else ""
    st.info(escape_markdown(f"Next: {next_action}{left}"), icon=":material/person:")
    if order.delay_reason not in next_action:
        st.warning(escape_markdown(f"Late. {order.delay_reason}"), icon=":material/schedule:")
    if order.failure_reason:
        st.error(
            escape_markdown(ramp_status_labels.with_provider_name(order, order.failure_reason)),
            icon=":material/error:",
        )
    links = []
    if order.intent_id is not None:
        label = "Delivery payment"
        if order.direction is Direction.OFF:
            label = "Deposit payment"
        links.append(
            LinkButton(f"{label} #{order.intent_id}", intent_href(order.intent_id), "list_alt")
        )
    if story.check_id is not None:
        links.append(LinkButton("Identity check", check_href(story.check_id), "badge"))
    if links:
        widget.link_buttons(links, "of_intent", width="content")


def bridge_transfer(story: OrderDetail) -> None:
    """How far the bridge has carried the crypto, where one does."""
    if story.bridged is None:
        return
    st.subheader("Bridge transfer")
    if steps := ramp_bridge.build_steps(story.order, story.bridged):
        widget.stepper(steps, "order_bridge_steps", "Progress of the bridge transfer")
    details = ramp_bridge.build_details(services().catalogue, story.bridged)
    widget.details(details, "order_bridge", "Bridge transfer")


def awaited_inventory(story: OrderDetail) -> None:
    """The transfers and mints that bring the inventory of the payout, where there are any."""
    if story.payment is not None and story.payment.inventory_transfers:
        st.subheader("Inventory for the payout")
        names, moved = services().catalogue, story.payment.inventory_transfers
        rows = inventory_transfers.build_transfer_rows(names, moved)
        columns = inventory_transfers.PAYMENT_COLUMNS
        widget.table(rows, columns, "order_inventory", "Inventory for the payout")


def payment_instructions(story: OrderDetail) -> None:
    """How the customer pays, while the order is unpaid."""
    order = story.order
    if order.state is OrderState.PENDING:
        with st.container(border=True):
            st.markdown(f"**{escape_markdown(story.provider)} is processing the order.**")
            st.markdown("Crossway retries until it responds. The payment instructions appear here.")
        return
    unpaid = order.state is OrderState.PROCESSING and order.paid_at is None
    if order.state is not OrderState.INITIATED and not unpaid:
        return
    with st.container(border=True):
        st.subheader("Awaiting payment")
        if order.direction is Direction.OFF and story.intent is not None:
            payment_panel.panel(services(), story.intent, "order_pay", order.expires_at)
            return
        widget.details(
            offered.build_payment_instructions(story), "order_how", "Payment instructions"
        )
        if order.widget_url:
            label = f"Open {story.provider}'s page to pay"
            st.link_button(label, order.widget_url, icon=":material/open_in_new:", type="primary")


def body(story: OrderDetail) -> None:
    """Payment instructions while unpaid, then bridge, details, timeline and ledger."""
    order, names, fiat = story.order, services().catalogue, services().fiat
    payment_instructions(story)
    bridge_transfer(story)
    awaited_inventory(story)
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.subheader("Details")
        merchant = merchant_cell(client_names(services()), order.client_id)
        facts = (*views.build_key_details(names, fiat, story), Detail("Merchant", merchant))
        widget.details(facts, "order_facts", "Details")
    with right:
        st.subheader("Timeline")
        widget.timeline(views.build_timeline(names, story), "order_timeline", "Timeline")
    st.subheader("Fiat ledger")
    if story.postings:
        rows = intent_money.build_ledger_rows(names, fiat, story.postings)
        widget.table(rows, intent_money.LEDGER_COLUMNS, "order_ledger", "Fiat ledger")
    else:
        st.markdown("No fiat postings yet. The first follows once the fiat money was paid.")
    record_log.order_deliveries(order)
    record_log.entries(f"order:{order.id}", "order_log")
    with st.expander("Details for developers", icon=":material/code:"):
        widget.details(views.build_technical_details(services(), story), "order_details", "Details")
        st.json(views.to_raw_json(order), expanded=False)


@requires(Permission.OPERATE)
def actions(story: OrderDetail) -> None:
    """The actions available now; in the simulated environment also the provider's reports."""
    order = story.order
    clicked = buttons(offered.list_actions(order), "order")
    if services().ramp_sandbox is not None:
        st.badge("Simulated provider", icon=":material/science:", color="orange")
        clicked = buttons(offered.list_simulated_actions(order), "order_sim") or clicked
    if clicked is not None:
        _perform(order, clicked)


def _perform(order: RampOrder, offer: AvailableAction) -> None:
    if offer.name == "confirm":
        confirm(
            "Confirm the customer's payment?",
            offer.confirm_text,
            "Confirm payment",
            lambda: _confirm_paid(order.id),
        )
    elif offer.name == "cancel":
        confirm(
            "Cancel this order?",
            offer.confirm_text,
            offer.label,
            lambda: _cancel(order.id),
            no="Keep order",
        )
    else:
        run_action(lambda: report_outcome(order.id, offer))


def _confirm_paid(order_id: int) -> str:
    ramp_orders.confirm_order(services(), operator(), order_id)
    return f"Order {order_id} is marked as paid by the customer."


def _cancel(order_id: int) -> str:
    ramp_orders.cancel_order(services(), operator(), order_id)
    return f"Order {order_id} is cancelled."


def report_outcome(order_id: int, offer: AvailableAction) -> str:
    """Have the simulated provider report an outcome."""
    ramp_sandbox.report_order_status(services(), operator(), order_id, offer.name)
    return f"Simulated: {offer.label}."
