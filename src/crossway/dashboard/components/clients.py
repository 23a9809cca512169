"""Clients: making one, and its form: fee, rate, refund addresses, look."""

from functools import partial

import streamlit as st

from crossway.dashboard.components.actions import perform
from crossway.dashboard.components.rights import granted, needing
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import clients as view
from crossway.domain.clients import Client
from crossway.domain.roles import Right
from crossway.usecases.developers import clients

_REFUNDS = (
    "Where money goes back to when a payment names no other place, by the kind of its chain. "
    "Empty: each payment must name one."
)
_LOOK = "How the client shows itself to its payers. Empty: as Crossway."


@needing(Right.MANAGE)
def new_client() -> None:
    """The form of a new client."""
    with st.form("new_client", border=False):
        name = st.text_input("Name of the new client", key="new_client_name", max_chars=100)
        made = st.form_submit_button("Add a client", icon=":material/add_business:")
    if made:
        perform(lambda: _made(name))


def _made(name: str) -> str:
    client = clients.create(services(), name, operator())
    return f"Client {client.name} is added; make a key for it."


def form(client: Client) -> None:
    """Everything about a client that can be changed."""
    with st.form("client", border=False):
        left, right = st.columns(2, gap="large")
        with left:
            st.subheader("Terms")
            name = st.text_input("Name", client.name, max_chars=100)
            first, second = st.columns(2, gap="small")
            fee = first.text_input("App fee, %", view.fee_percent(client), help="0 to 5 %")
            cap = second.text_input(
                "App fee at most, USD", view.cap_usd(client), placeholder="No cap"
            )
            rate = st.text_input("Requests a minute, each key", str(client.requests_per_minute))
            st.subheader("Look")
            st.caption(_LOOK)
            brand = _brand(client)
        with right:
            st.subheader("Refund addresses")
            st.caption(_REFUNDS)
            known = client.refund_addresses
            refunds = {
                kind: st.text_input(view.kind_words(kind), known.get(kind, ""), placeholder="None")
                for kind in view.kinds(services())
            }
        may = granted(Right.MANAGE)
        saved = st.form_submit_button(
            "Save", icon=":material/save:", type="primary", disabled=not may
        )
    if saved:
        perform(partial(_changed, client, view.Typed(name, fee, cap, rate, refunds, *brand)))


def _brand(client: Client) -> tuple[str, str, str]:
    brand = client.brand
    shown = st.text_input("Shown name", brand.display_name, placeholder=client.name)
    logo = st.text_input(
        "Logo's URL, for the API",
        brand.logo_url,
        placeholder="https://shop.example/logo.svg",
        help="An https URL; payers' pages show the picture given below",
    )
    colour = st.text_input("Colour", brand.colour, placeholder="#2255aa")
    return shown, logo, colour


def _changed(client: Client, typed: view.Typed) -> str:
    after = clients.change(services(), client.id, view.change_of(typed), operator())
    return f"Client {after.name} is changed."
