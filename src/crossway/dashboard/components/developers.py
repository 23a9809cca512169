"""The quick start: the values to fill in, and the code samples."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from crossway.dashboard.components.asset_inputs import chain_choice, token_choice
from crossway.dashboard.session import services
from crossway.dashboard.views import developers as view
from crossway.dashboard.views.new_intent import example_address


def sample_inputs() -> view.SampleInputs:
    """The values that the samples use."""
    base_url = view.base_url(st.context.url or "")
    left, middle, right = st.columns([3, 4, 4], gap="small")
    url = left.text_input(
        "Base URL",
        base_url,
        key="base_url",
        help="The URL at which your systems reach this service",
    )
    with middle:
        destination = chain_choice("Destination chain", "to_chain", "ARBITRUM_MAINNET")
    with right:
        source = chain_choice("Source chain", "source", "BASE_MAINNET")
    left, middle, right = st.columns([3, 4, 4], gap="small")
    amount = left.text_input("Amount", "25", key="amount", bind="query-params")
    with middle:
        token_out = token_choice("Destination token", "token_out", destination)
    with right:
        token_in = token_choice("Source token", "token_in", source)
    left, right = st.columns(2, gap="small")
    recipient = _address(left, "Recipient", destination)
    refund = _address(right, "Refund address", source)
    return view.SampleInputs(
        url, source, destination, token_in, token_out, amount, recipient, refund
    )


def _address(column: DeltaGenerator, label: str, chain: str) -> str:
    # One key per chain, as an address is valid on one kind of chain only.
    return column.text_input(label, example_address(services(), chain), key=f"{label}_{chain}")


def samples(name: str, filled: dict[str, str], tabs: dict[str, str]) -> None:
    """One sample in every language; `tabs` maps languages to tab titles."""
    simulated = services().environment == "simulated"
    for tab, language in zip(st.tabs(list(tabs.values())), tabs, strict=True):
        with tab:
            _, colouring = view.LANGUAGES[language]
            st.code(view.render_sample(name, language, filled, simulated), language=colouring)
