"""The quick start: what the samples are to hold, and the samples side by side."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from crossway.dashboard.components.filters import chain_choice, token_choice
from crossway.dashboard.session import services
from crossway.dashboard.views import developers as view
from crossway.dashboard.views.new_intent import example_address


def typed() -> view.Typed:
    """The operator's own values, for the samples alone."""
    here = view.base_of(st.context.url or "")
    left, middle, right = st.columns([3, 4, 4], gap="small")
    url = left.text_input(
        "Base URL", here, key="base_url", help="Where your developers reach this service"
    )
    with middle:
        destination = chain_choice("Paid on", "to_chain", "ARBITRUM_MAINNET")
    with right:
        source = chain_choice("Paid from", "source", "BASE_MAINNET")
    left, middle, right = st.columns([3, 4, 4], gap="small")
    amount = left.text_input("Amount", "25", key="amount", bind="query-params")
    with middle:
        token_out = token_choice("Token that arrives", "token_out", destination)
    with right:
        token_in = token_choice("Token that is paid", "token_in", source)
    left, right = st.columns(2, gap="small")
    recipient = _address(left, "Recipient", destination)
    refund = _address(right, "Refund address", source)
    return view.Typed(url, source, destination, token_in, token_out, amount, recipient, refund)


def _address(column: DeltaGenerator, label: str, chain: str) -> str:
    # A key for each chain: an address of one is none on another.
    return column.text_input(label, example_address(services(), chain), key=f"{label}_{chain}")


def samples(name: str, filled: dict[str, str], tabs: dict[str, str]) -> None:
    """One sample in every language; `tabs` are the names of the tabs by language."""
    simulated = services().network == "simulated"
    for tab, language in zip(st.tabs(list(tabs.values())), tabs, strict=True):
        with tab:
            _, colouring = view.LANGUAGES[language]
            st.code(view.sample(name, language, filled, simulated), language=colouring)
