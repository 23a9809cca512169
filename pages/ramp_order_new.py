"""New ramp order: a guided form that ends in how its user pays."""

import streamlit as st

from crossway.dashboard.components import notices, ramp_form, ramp_order_form
from crossway.dashboard.views.ramp_order_new import Draft
from crossway.dashboard.views.ramp_quotes import Asked

st.title("New ramp order")
ramp_form.take_link()


def form() -> None:
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.header("1. What is exchanged")
        direction = ramp_form.direction_choice()
        on = direction == "on-ramp"
        currency, country = ramp_form.corridor_choice()
        amount, symbol, chain = ramp_form.crypto_choice(on)
        chosen = ramp_order_form.provider_and_channel(direction, currency, country)
        if chosen is None:
            notices.empty("No provider does this", "Choose another currency.", "link_off")
            return
        st.header("2. For whom")
        email, wallet, fields = ramp_order_form.user(chosen[1], on, chain)
    asked = Asked(direction, currency, country, amount, symbol, chain, email)
    draft = Draft(asked, *chosen, wallet, fields)
    with right, st.container(border=True):
        quote = ramp_order_form.price(draft)
        if quote is not None:
            ramp_order_form.standing(draft, quote)
        ramp_order_form.open_it(draft, quote)


@st.fragment(run_every=1.0)
def made() -> None:
    with notices.in_words():
        ramp_order_form.made(st.session_state[ramp_order_form.MADE])


if st.session_state.get(ramp_order_form.MADE):
    made()
    if st.button("Another order", icon=":material/add_circle:"):
        ramp_order_form.forget_made()
        st.rerun()
else:
    form()
