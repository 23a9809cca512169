"""KYC: a customer's status with a provider in a corridor, and missing requirements."""

import streamlit as st

from crossway.dashboard.components import kyc, notices, ramp_quote_form


def checks(provider: str, currency: str, country: str) -> None:
    """The customer's status beside the provider's requirements."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        email = st.text_input(
            "Customer's e-mail", key="email", width=320, autocomplete="off", persist_state="session"
        )
        amount = st.text_input(
            "Amount in USDC (optional)",
            key="kyc_amount",
            width=200,
            help="Checks whether an order of this amount is allowed.",
        )
    status_column, requirements_column = st.columns([1, 1], gap="large")
    with status_column:
        st.header("Customer")
        if not email.strip():
            notices.empty_state(
                "No customer selected",
                "Enter an e-mail address to see its status, limit and missing requirements.",
                "person_search",
            )
        else:
            with notices.show_errors():
                merchant = kyc.merchant_choice(email)
                kyc.kyc_status(merchant, provider, email, country, currency, amount)
                kyc.submission_form(merchant, provider, email, country, currency)
            kyc.erase(email)
    with requirements_column:
        st.header("Provider requirements")
        with notices.show_errors():
            kyc.requirements(provider, country, currency)
    if email.strip():
        kyc.customer_orders(email)


st.title("Identity checks")
ramp_quote_form.apply_link_values()
left, right = st.columns([4, 3], gap="medium")
with left:
    currency, country = ramp_quote_form.corridor_choice()
with right:
    provider = kyc.provider_choice(currency, country)
if provider is None:
    notices.empty_state("No provider serves this country", "Choose another currency.", "link_off")
else:
    checks(provider, currency, country)
