"""New payment: a guided form that ends in an address, a QR code and a link to follow it."""

import streamlit as st

from crossway.dashboard.components import notices, payers_page, payment, rights, widget
from crossway.dashboard.components.filters import chain_choice, token_choice
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import new_intent
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import intent_href

st.title("New payment")


def form() -> None:
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.header("1. What arrives")
        first, second, third = st.columns(3, gap="small")
        with third:
            to_chain = chain_choice("On chain", "to_chain", "BASE_MAINNET")
        with second:
            token_out = token_choice("Token", "token_out", to_chain)
        amount = first.text_input("Recipient gets", "25", key="amount", bind="query-params")
        recipient = st.text_input("Recipient's address", key="recipient", bind="query-params")
        st.header("2. How it is paid")
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            source = chain_choice("From chain", "source", "ARBITRUM_MAINNET")
            token_in = token_choice("Payer pays with", "token_in", source)
        refund = st.text_input(
            "Refund address", key="refund", bind="query-params",
            help="On the payer's chain: where money goes that cannot be delivered.",
        )  # fmt: skip
        reference = st.text_input("Your reference (optional)", key="reference", max_chars=40)
        if services().network == "simulated":
            st.button("Fill in example addresses", icon=":material/science:", on_click=example,
                      args=(source, to_chain))  # fmt: skip
    draft = new_intent.Draft(
        source, to_chain, token_in, token_out, amount, recipient, refund, reference
    )
    with right, st.container(border=True):
        st.subheader("What it costs now")
        with notices.in_words():
            quote = new_intent.priced(services(), operator(), draft)
            facts = new_intent.price_facts(quote)
            widget.facts(facts, "price", "What it costs")
        label = f"Create a payment of {amount.strip() or '…'} {token_out}"
        if rights.works() and st.button(
            label, type="primary", icon=":material/add_circle:", width="stretch"
        ):
            with notices.in_words():
                made = new_intent.create(services(), operator(), draft)
                st.session_state.made = made.id
                st.rerun()


def example(source: str, destination: str) -> None:
    with notices.in_words():
        st.session_state.recipient = new_intent.example_address(services(), destination)
        st.session_state.refund = new_intent.example_address(services(), source)


@st.fragment(run_every=1.0)
def made() -> None:
    with notices.in_words():
        intent = new_intent.made(services(), operator(), st.session_state.made)
        st.success(f"Payment #{intent.id} is ready: {new_intent.total_line(intent)}.")
        payment.panel(services(), intent, "made")
        payers_page.shown(intent, "made")
    href = intent_href(st.session_state.made)
    widget.ways((Way("Follow this payment", href, "visibility", main=True),), "follow")


if st.session_state.get("made"):
    made()
    if st.button("Another payment", icon=":material/add_circle:"):
        del st.session_state.made
        st.rerun()
else:
    form()
