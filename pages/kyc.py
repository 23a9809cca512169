"""KYC: where a person stands with a provider in a corridor, and what is missing."""

import streamlit as st

from crossway.dashboard.components import kyc, notices, ramp_form


def checks(provider: str, currency: str, country: str) -> None:
    """Whoever is to be checked, and what the provider asks for."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        email = st.text_input(
            "Person's e-mail", key="email", width=320, autocomplete="off", persist_state="session"
        )
        amount = st.text_input(
            "Amount in USDC (optional)", key="kyc_amount", width=200,
            help="Says whether an order of this size could go ahead.",
        )  # fmt: skip
    about, asks = st.columns([1, 1], gap="large")
    with about:
        st.header("This person")
        if not email.strip():
            notices.empty(
                "Nobody chosen",
                "Type an e-mail address to see its check, its limit and what is missing.",
                "person_search",
            )
        else:
            kyc.standing(provider, email, country, currency, amount)
            with notices.in_words():
                kyc.hand_in(provider, email, country, currency)
            kyc.erase(email)
    with asks:
        st.header("What this provider asks for")
        with notices.in_words():
            kyc.requirements(provider, country, currency)
    if email.strip():
        kyc.orders(email)


st.title("Identity checks")
ramp_form.take_link()
left, right = st.columns([4, 3], gap="medium")
with left:
    currency, country = ramp_form.corridor_choice()
with right:
    provider = kyc.provider_choice(currency, country)
if provider is None:
    notices.empty("No provider serves this country", "Choose another currency.", "link_off")
else:
    checks(provider, currency, country)
