"""Standing addresses: the lists, the form of a new one, and its actions."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import list_table, live_fragment, notices, pagination, widget
from crossway.dashboard.components.actions import run_action
from crossway.dashboard.components.asset_inputs import chain_choice
from crossway.dashboard.components.navigation import open_href
from crossway.dashboard.session import current_mode, operator, services
from crossway.dashboard.views import clients as client_view
from crossway.dashboard.views import merchant_names
from crossway.dashboard.views import standing as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.formatting import list_symbols
from crossway.dashboard.views.links import standing_href
from crossway.domain.money import Token
from crossway.domain.roles import Permission
from crossway.domain.standing import StandingAddress, StandingDeposit
from crossway.domain.typed_amounts import read_amount
from crossway.usecases.standing import addresses, deposits
from crossway.usecases.standing.request import StandingRequest


@live_fragment.fragment()
def address_list(after: str, merchant: str | None) -> None:
    """A page of standing addresses, of one merchant or all, live."""
    with notices.show_errors():
        page = view.load_page(services(), operator(), after, merchant)
        if page.rows:
            names = client_view.client_names(services())
            columns, rows = merchant_names.drop_lone_merchant(names, view.COLUMNS, page.rows)
            list_table.row_table(rows, columns, "standing_addresses", "Standing addresses")
        elif merchant:
            text = "No standing addresses of this merchant"
            notices.empty_state(text, "Choose another.", "all_inbox")
        else:
            text = "Create one below. Every deposit at it becomes a payment of its own."
            notices.empty_state(f"No {current_mode()} standing addresses yet", text, "all_inbox")
        ways = (
            [LinkButton("Newest", view.list_href(merchant=merchant), "first_page")] if after else []
        )
        if page.next_cursor:
            older = view.list_href(str(page.next_cursor), merchant)
            ways.append(LinkButton("Older", older, "arrow_forward"))
        if ways:
            widget.link_buttons(ways, "standing_pages", width="content")


@live_fragment.fragment()
def deposit_list(address_id: str | None = None) -> None:
    """What came to all standing addresses, or to one, live."""
    with notices.show_errors():
        before = pagination.cursor("standing_deposits", address_id)
        page = view.load_deposits(services(), operator(), before, address_id)
        if page.rows:
            widget.table(page.rows, view.DEPOSIT_COLUMNS, "standing_deposits", "Deposits")
        else:
            text = "What is sent to a standing address appears here with its payment."
            notices.empty_state("No deposits yet", text, "south_west")
        pagination.page_buttons("standing_deposits", page.next_cursor)


def new_address_form() -> None:
    """The form of a new standing address, for those with permission."""
    if operator().can(Permission.OPERATE):
        with st.expander("New standing address", icon=":material/add:", key="new_standing_fold"):
            _form()


def _form() -> None:
    names = client_view.client_names(services())
    client = st.selectbox(
        "Merchant", list(names), format_func=names.__getitem__, key="standing_client"
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Deposits")
        source = chain_choice("From chain", "standing_source", "BASE_MAINNET")
        recovery = st.text_input("Recovery address", key="standing_recovery")
        least = st.text_input("Minimum (optional)", key="standing_minimum")
        most = st.text_input("Maximum (optional)", key="standing_maximum")
    with right:
        st.subheader("Destination")
        to = chain_choice("On chain", "standing_to", "ARBITRUM_MAINNET")
        symbols = list_symbols(services().catalogue, to)
        symbol = st.selectbox("Token", symbols, key=f"standing_token_{to}")
        recipient = st.text_input("Recipient address", key="standing_recipient")
        reference = st.text_input("Reference (optional)", key="standing_reference", max_chars=100)
    if st.button("Create standing address", icon=":material/add:", type="primary"):
        token = services().catalogue.tokens[to, symbol or ""]

        def create() -> str:
            request = StandingRequest(
                source_chain=source,
                destination_chain=to,
                token_out=token.address,
                recipient=recipient.strip(),
                recovery_address=recovery.strip(),
                minimum=_units("Minimum", least, token),
                maximum=_units("Maximum", most, token),
                reference=reference or None,
            )
            return _create(request, client)

        run_action(create)


def _units(field: str, typed: str, token: Token) -> str | None:
    if not typed.strip():
        return None
    return str(read_amount(field, typed, token.decimals, token.symbol).units)


def _create(request: StandingRequest, client: str | None) -> str:
    created = addresses.create(services(), operator(), request, client_id=client)
    notices.queue_toast("The standing address is created.")
    open_href(standing_href(created.id))


def switch(address: StandingAddress) -> None:
    """Close or open a standing address."""
    is_active = address.latest_rules.active
    label, icon = ("Close", "power_off") if is_active else ("Open", "power")
    if operator().can(Permission.OPERATE) and st.button(label, icon=f":material/{icon}:"):
        run_action(partial(_switch, address, not is_active))


def _switch(address: StandingAddress, active: bool) -> str:
    addresses.update(services(), operator(), address.id, StandingRequest(active=active))
    return f"The standing address is {'open' if active else 'closed'}."


def estimate(address: StandingAddress) -> None:
    """What a deposit of an amount that is typed would give the recipient."""
    token = services().catalogue.by_address[address.source_chain, address.terms.tokens[0].token]
    typed = st.text_input(f"What would a deposit give? ({token.symbol})", key="standing_estimate")
    if typed.strip():
        with notices.show_errors():
            st.markdown(view.describe_estimate(services(), operator(), address.id, typed))


def return_buttons(address: StandingAddress) -> None:
    """A button for each of the newest deposits that can be sent back by hand."""
    if not operator().can(Permission.REFUND):
        return
    for deposit in view.list_returnable(services(), operator(), address.id):
        label = f"Return deposit {view.describe_deposit(services(), deposit)}"
        if st.button(label, icon=":material/undo:", key=f"return_{deposit.id}"):
            run_action(partial(_return, deposit))


def _return(deposit: StandingDeposit) -> str:
    deposits.return_deposit(services(), operator(), deposit.id)
    return "The deposit is sent to the recovery address."
