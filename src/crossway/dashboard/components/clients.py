"""Clients: creating one, and editing its fees, rate limit, refund addresses and profile."""

from functools import partial

import streamlit as st

from crossway.dashboard.components.actions import run_action
from crossway.dashboard.components.permissions import is_granted, requires
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import clients as view
from crossway.domain.clients import Client
from crossway.domain.roles import Permission
from crossway.usecases.developers import clients

_REFUND_NOTICE = (
    "Used for payments created without a sender and without a refund address, by kind of chain."
)
_PROFILE_NOTICE = "Shown to payers on checkout pages. Empty: the merchant's name, default colours."


@requires(Permission.MANAGE)
def new_client() -> None:
    """The form of a new client."""
    with st.form("new_client", border=False):
        name = st.text_input("Name", key="new_client_name", max_chars=100)
        submitted = st.form_submit_button("Create merchant", icon=":material/add_business:")
    if submitted:
        run_action(lambda: _create(name))


def _create(name: str) -> str:
    client = clients.create_client(services(), name, operator())
    return f"Merchant {client.name} is created. Create an API key for it next."


def form(client: Client) -> None:
    """The form with every editable field of a client."""
    with st.form("client", border=False):
        left, right = st.columns(2, gap="large")
        with left:
            st.subheader("Terms")
            name = st.text_input("Name", client.name, max_chars=100)
            first, second = st.columns(2, gap="small")
            fee = first.text_input("App fee, %", view.format_fee_percent(client), help="0 to 5%")
            cap = second.text_input(
                "App fee cap, USD", view.format_fee_cap(client), placeholder="No cap"
            )
            rate = st.text_input(
                "Requests per minute, per API key", str(client.requests_per_minute)
            )
            st.subheader("Public profile")
            st.caption(_PROFILE_NOTICE)
            brand = _profile_inputs(client)
        with right:
            st.subheader("Refund addresses")
            st.caption(_REFUND_NOTICE)
            current = client.refund_addresses
            refunds = {
                kind: st.text_input(
                    view.chain_kind_name(kind), current.get(kind, ""), placeholder="None"
                )
                for kind in view.list_chain_kinds(services())
            }
        allowed = is_granted(Permission.MANAGE)
        saved = st.form_submit_button(
            "Save", icon=":material/save:", type="primary", disabled=not allowed
        )
    if saved:
        run_action(partial(_update, client, view.ClientForm(name, fee, cap, rate, refunds, *brand)))


def _profile_inputs(client: Client) -> tuple[str, str, str]:
    brand = client.public_profile
    display_name = st.text_input("Display name", brand.display_name, placeholder=client.name)
    logo = st.text_input(
        "Logo URL (API only)",
        brand.logo_url,
        placeholder="https://shop.example/logo.svg",
        help="An https URL. Checkout pages use the logo uploaded below",
    )
    colour = st.text_input("Colour", brand.colour, placeholder="#2255aa")
    return display_name, logo, colour


def _update(client: Client, form: view.ClientForm) -> str:
    updated = clients.update_client(services(), client.id, view.parse_change(form), operator())
    return f"Merchant {updated.name} is updated."
