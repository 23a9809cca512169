"""One payment's page: status, progress, details, funds and timeline."""

import streamlit as st

from crossway.dashboard import push
from crossway.dashboard.components import checkout_page, intent_actions, payment_panel, widget
from crossway.dashboard.components.notices import escape_markdown, older_records
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import (
    intent_comparison,
    intent_money,
    inventory_transfers,
    payment_steps,
    profit,
    status_labels,
    timeline,
)
from crossway.dashboard.views import intent_detail as views
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.claims import call_title, coordinator_call_title, describe_dust
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.formatting import chain_name, format_duration, format_short_amount
from crossway.dashboard.views.intents import badges_for
from crossway.dashboard.views.links import order_href
from crossway.dashboard.views.payment_columns import reference
from crossway.domain.deposits import DepositPurpose
from crossway.domain.intent import State
from crossway.usecases.money import profit_and_loss
from crossway.usecases.payments.claims import ClaimKind
from crossway.usecases.payments.timeline import IntentTimeline

_FEE_SECONDS = 15.0


def action_state(story: IntentTimeline) -> str:
    """What the available actions depend on, as a string to compare."""
    intent = story.intent
    transfers = ",".join(f"{t.id}{t.state}" for t in story.outbound_txs)
    # A deposit gets its purpose only once it has enough confirmations.
    deposits = ",".join(f"{d.id}{d.state}{d.purpose}" for d in story.deposits)
    return f"{intent.state} {intent.balance_at_address} {deposits} {transfers} {len(story.notes)}"


def header(story: IntentTimeline) -> None:
    """Status badges, summary, progress, who acts next, and the payment request while it is open."""
    intent, names = story.intent, services().catalogue
    badge = status_labels.INTENT_STATES[intent.state]
    has_late = any(d.purpose is DepositPurpose.LATE for d in story.deposits)
    badges = badges_for(intent, bool(story.misdirected), story.outbound_txs, has_late)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for mark in (badge, *badges):
            st.badge(mark.text, icon=f":material/{mark.icon}:", color=mark.color, help=mark.hint)
        out = format_short_amount(
            intent.terms.payout_amount, intent.out_decimals, intent.out_symbol
        )
        source = chain_name(names, intent.terms.source_chain)
        destination = chain_name(names, intent.terms.destination_chain)
        st.markdown(escape_markdown(f"{out} from {source} to {destination} · {reference(intent)}"))
    widget.stepper(
        payment_steps.build_steps(
            intent,
            story.transitions,
            story.outbound_txs,
            story.progress,
            inventory_transfers.build_step(names, story.inventory_transfers),
        ),
        "steps",
        "Payment progress",
    )
    left = ""
    if story.next_action_due_at is not None:
        seconds = (story.next_action_due_at - services().clock.now()).total_seconds()
        left = f" Time left: {format_duration(seconds)}." if seconds > 0 else ""
    st.info(escape_markdown(f"Next: {story.next_action}{left}"), icon=":material/person:")
    if intent.state is State.PENDING:
        _payment_request(story)
    claims(story)
    coordinator_calls(story)
    refund_cost(story)
    if intent.order_id is not None:
        link = LinkButton(
            f"Ramp order #{intent.order_id}", order_href(intent.order_id), "receipt_long"
        )
        widget.link_buttons((link,), "of_order", width="content")


def _payment_request(story: IntentTimeline) -> None:
    """What the payer needs, and where money is simulated the button that pays."""
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.subheader("Awaiting payment", width="stretch")
            intent_actions.pay_button(story)
        payment_panel.panel(services(), story.intent, "pay")


def overview(story: IntentTimeline) -> None:
    """Details, amounts and timeline."""
    intent, names = story.intent, services().catalogue
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.subheader("Details")
        merchants = client_names(services())
        facts = views.build_key_details(names, intent, merchants, story.trust)
        widget.details(facts, "facts", "Details")
        checkout_page.checkout_facts(intent, "intent")
        st.subheader("Quoted vs. actual")
        compared = intent_comparison.build_comparison_rows(names, story)
        widget.table(compared, intent_comparison.COMPARISON_COLUMNS, "compare", "Quoted vs. actual")
        _margin(story)
    with right:
        st.subheader("Timeline")
        widget.timeline(timeline.build_timeline(names, story), "timeline", "Timeline")
        older_records(story.hidden.transitions, "event")
    _tables(story)


def _margin(story: IntentTimeline) -> None:
    """What the payment has earned and cost, by line."""
    amounts = profit_and_loss.get_payment_margin(services(), operator(), story.intent.id)
    rows = profit.build_margin_rows(services(), amounts)
    if rows:
        st.subheader("Margin")
        widget.table(rows, profit.MARGIN_COLUMNS, "margin", "Margin")


def claims(story: IntentTimeline) -> None:
    """What waits at the address, with the contract call by which anyone may return it. Why a refund
    waits is the next action already."""
    for claim in story.claims:
        names = services().catalogue
        if claim.kind is ClaimKind.DUST:
            st.info(escape_markdown(describe_dust(names, claim)), icon=":material/savings:")
        if claim.call is not None:
            with st.expander(call_title(names, claim)):
                st.caption("Contract")
                st.code(claim.call.contract, language=None)
                st.caption("Data of the call")
                st.code(claim.call.data, language=None, wrap_lines=True)


def coordinator_calls(story: IntentTimeline) -> None:
    """What the coordinator signs with a wallet of its own; why is the next action already."""
    for asked in story.coordinator_calls:
        with st.expander(coordinator_call_title(services().catalogue, asked)):
            if asked.call is None:
                st.markdown("The payment was created with other contracts than those in use.")
                continue
            for caption, text in (
                ("Signed by", asked.coordinator),
                ("Chain id", asked.chain_id),
                ("Contract", asked.call.contract),
                ("Data of the call; no coins are sent along", asked.call.data),
            ):
                st.caption(caption)
                st.code(text, language=None, wrap_lines=True)


def refund_cost(story: IntentTimeline) -> None:
    """What a refund would cost now, if any funds are held."""
    intent = story.intent
    if (
        intent.state in (State.INITIATED, State.COMPLETED, State.REFUNDED)
        or not intent.balance_at_address
    ):
        return
    # Cached, as it queries a chain and prices.
    text = push.cached(
        f"way out {intent.id} {intent.balance_at_address}",
        lambda: intent_money.describe_refund_cost(services(), intent),
        (),
        _FEE_SECONDS,
    )
    st.caption(escape_markdown(text))


def _tables(story: IntentTimeline) -> None:
    names = services().catalogue
    st.subheader("Deposits")
    deposits = intent_money.build_deposit_rows(names, story.deposits)
    if deposits:
        widget.table(deposits, intent_money.DEPOSIT_COLUMNS, "deposits", "Deposits")
        older_records(story.hidden.deposits, "deposit")
    else:
        st.markdown(
            "No deposits yet. A transfer to the deposit address appears here once it is in a block."
        )
    st.subheader("Outbound transactions")
    transfers = intent_money.build_outbound_tx_rows(names, story)
    if transfers:
        widget.table(
            transfers, intent_money.OUTBOUND_TX_COLUMNS, "transfers", "Outbound transactions"
        )
        older_records(story.hidden.outbound_txs, "return")
    else:
        st.markdown("No outbound transactions yet. They start when the deposit is complete.")
    if story.inventory_transfers:
        st.subheader("Inventory transfers")
        moved = inventory_transfers.build_transfer_rows(names, story.inventory_transfers)
        columns = inventory_transfers.PAYMENT_COLUMNS
        widget.table(moved, columns, "inventory_transfers", "Inventory transfers")
