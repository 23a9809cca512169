"""New payment: a guided form that ends with an address, a QR code and a checkout link."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import checkout_page, notices, payment_panel, permissions, widget
from crossway.dashboard.components.asset_inputs import chain_choice, token_choice
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import new_intent
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import intent_href

REFUND = "On the payer's chain: gets the money back if the payment cannot be completed."
st.title("New payment")


def form() -> None:
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.header("1. Payout")
        first, second, third = st.columns(3, gap="small")
        with third:
            to_chain = chain_choice("On chain", "to_chain", "BASE_MAINNET")
        with second:
            token_out = token_choice("Token", "token_out", to_chain)
        amount = first.text_input("Recipient gets", "25", key="amount", bind="query-params")
        recipient = st.text_input("Recipient address", key="recipient", bind="query-params")
        st.header("2. Deposit")
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            source = chain_choice("From chain", "source", "ARBITRUM_MAINNET")
            token_in = token_choice("Payer pays with", "token_in", source)
        refund = st.text_input("Refund address", key="refund", bind="query-params", help=REFUND)
        reference = st.text_input("Your reference (optional)", key="reference", max_chars=40)
        if services().environment == "simulated":
            fill = partial(fill_in_example, source, to_chain)
            st.button("Use example addresses", icon=":material/science:", on_click=fill)
    tokens = (source, to_chain, token_in, token_out)
    with right, st.container(border=True):
        quote_and_submit(new_intent.Draft(*tokens, amount, recipient, refund, reference))


def quote_and_submit(draft: new_intent.Draft) -> None:
    st.subheader("Current quote")
    with notices.show_errors():
        quote = new_intent.price_draft(services(), operator(), draft)
        widget.details(new_intent.build_price_details(quote), "price", "Current quote")
    label = f"Create a payment of {draft.amount.strip() or '…'} {draft.token_out}"
    icon = ":material/add_circle:"
    if permissions.can_work() and st.button(label, type="primary", icon=icon, width="stretch"):
        with notices.show_errors():
            created = new_intent.create_payment(services(), operator(), draft)
            st.session_state.created_intent = created.id
            st.rerun()


def fill_in_example(source: str, destination: str) -> None:
    with notices.show_errors():
        st.session_state.recipient = new_intent.example_address(services(), destination)
        st.session_state.refund = new_intent.example_address(services(), source)


@st.fragment(run_every=1.0)
def created_payment(created_id: int) -> None:
    with notices.show_errors():
        intent = new_intent.load_created(services(), operator(), created_id)
        st.success(f"Payment #{intent.id} is ready: {new_intent.format_total(intent)}.")
        payment_panel.panel(services(), intent, "made")
        checkout_page.checkout_facts(intent, "made")
    follow = LinkButton("View this payment", intent_href(created_id), "visibility", primary=True)
    widget.link_buttons((follow,), "follow")


if st.session_state.get("created_intent"):
    created_payment(st.session_state.created_intent)
    if st.button("Another payment", icon=":material/add_circle:"):
        del st.session_state.created_intent
        st.rerun()
else:
    form()
