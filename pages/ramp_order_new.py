"""New ramp order: a guided form that ends with the payment instructions."""

import streamlit as st

from crossway.dashboard.components import notices, ramp_order_form, ramp_quote_form
from crossway.dashboard.views.ramp_order_new import Draft
from crossway.dashboard.views.ramp_quotes import QuoteForm

st.title("New ramp order")
ramp_quote_form.apply_link_values()


def form() -> None:
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.header("1. Exchange")
        direction = ramp_quote_form.direction_choice()
        is_on_ramp = direction == "on-ramp"
        currency, country = ramp_quote_form.corridor_choice()
        amount, symbol, chain = ramp_quote_form.crypto_choice(is_on_ramp)
        selection = ramp_order_form.provider_and_channel(direction, currency, country)
        if selection is None:
            notices.empty_state("No provider available", "Choose another currency.", "link_off")
            return
        st.header("2. Customer")
        email, wallet, fields = ramp_order_form.user_fields(selection[1], is_on_ramp, chain)
    quote_form = QuoteForm(direction, currency, country, amount, symbol, chain, email)
    draft = Draft(quote_form, *selection, wallet, fields)
    with right, st.container(border=True):
        quote = ramp_order_form.price(draft)
        if quote is not None:
            ramp_order_form.kyc_status(draft, quote)
        ramp_order_form.submit_button(draft, quote)


@st.fragment(run_every=1.0)
def made() -> None:
    with notices.show_errors():
        ramp_order_form.created_order(st.session_state[ramp_order_form.CREATED_ORDER])


if st.session_state.get(ramp_order_form.CREATED_ORDER):
    made()
    if st.button("Another order", icon=":material/add_circle:"):
        ramp_order_form.reset()
        st.rerun()
else:
    form()
