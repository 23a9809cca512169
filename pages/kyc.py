"""KYC: all identity checks, a customer's status with a provider, and missing requirements."""

import streamlit as st

from crossway.dashboard.components import kyc, kyc_list, notices, ramp_quote_form


def customer_and_requirements(provider: str, currency: str, country: str, email: str) -> None:
    """The customer's status beside the provider's requirements."""
    amount = kyc.amount_field()
    status_column, requirements_column = st.columns([1, 1], gap="large")
    with status_column:
        st.header("Customer")
        with notices.show_errors():
            merchant = kyc.merchant_choice(email)
            kyc.kyc_status(merchant, provider, email, country, currency, amount)
            kyc.submission_form(merchant, provider, email, country, currency, amount)
        kyc.erase(email)
    with requirements_column:
        st.header("Provider requirements")
        requirements(provider, currency, country)
    kyc.customer_orders(email)


def requirements(provider: str, currency: str, country: str) -> None:
    with notices.show_errors():
        kyc.requirements(provider, country, currency)


def corridor() -> tuple[str | None, str, str]:
    """The provider, if any serves it, the currency and the country."""
    left, right = st.columns([4, 3], gap="medium")
    with left:
        currency, country = ramp_quote_form.corridor_choice()
    with right:
        provider = kyc.provider_choice(currency, country)
    if provider is None:
        notices.empty_state(
            "No provider serves this country", "Choose another currency.", "link_off"
        )
    return provider, currency, country


def search_and_list() -> None:
    """The customer with an exact address; while none is typed, all checks."""
    email = kyc.email_field()
    if not email.strip():
        kyc_list.listed_checks()
        st.header("Provider requirements")
    provider, currency, country = corridor()
    if provider is not None and email.strip():
        customer_and_requirements(provider, currency, country, email)
    elif provider is not None:
        requirements(provider, currency, country)


st.title("Identity checks")
ramp_quote_form.apply_link_values()
if check := st.query_params.get("check"):
    kyc_list.one_check(check)
else:
    search_and_list()
