"""Invoices and subscriptions: the lists, the form of a new one, and the actions."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import live_fragment, notices, pagination, widget
from crossway.dashboard.components.actions import confirm, run_action
from crossway.dashboard.components.asset_inputs import chain_choice
from crossway.dashboard.components.checkout_page import dashboard_origin
from crossway.dashboard.components.navigation import open_href
from crossway.dashboard.session import current_mode, operator, services
from crossway.dashboard.views import billing as view
from crossway.dashboard.views import clients as client_view
from crossway.dashboard.views.formatting import list_symbols
from crossway.domain.roles import Permission
from crossway.domain.subscriptions import Subscription, SubscriptionState
from crossway.usecases.billing import invoices, subscriptions
from crossway.usecases.billing.invoice_view import InvoiceView
from crossway.usecases.billing.pages import invoice_path, page_url, subscription_path
from crossway.usecases.billing.subscriptions import SubscriptionRequest

_LINES_HELP = (
    "One per line: description | quantity | net price | tax %. Quantity and tax may be left out."
)


def new_form() -> None:
    """The form of a new invoice or subscription, for those with permission."""
    if operator().can(Permission.OPERATE):
        with st.expander("New invoice", icon=":material/receipt:", key="new_invoice_fold"):
            _form()


def _form() -> None:
    names = client_view.client_names(services())
    client = st.selectbox(
        "Merchant", list(names), format_func=names.__getitem__, key="invoice_client"
    )
    left, right = st.columns(2, gap="large")
    with left:
        lines = st.text_area(
            "Lines", key="invoice_lines", help=_LINES_HELP, placeholder="Hosting | 2 | 5.00 | 19"
        )
        tax_name = st.text_input("Name of the tax", key="invoice_tax", placeholder="VAT")
        notes = st.text_area("Notes (optional)", key="invoice_notes", height=80)
        repeats = st.radio(
            "Repeats", [view.ONCE, *view.INTERVALS], key="invoice_repeats", horizontal=True
        )
        due = st.date_input("First due date" if repeats != view.ONCE else "Due date", "today",
                            key="invoice_due")  # fmt: skip
        parts = st.checkbox("May be paid in parts", key="invoice_parts")
    with right:
        name = st.text_input("Payer's name (optional)", key="invoice_name")
        email = st.text_input("Payer's e-mail (optional)", key="invoice_email")
        address = st.text_area("Payer's address (optional)", key="invoice_address", height=80)
        language = st.selectbox(
            "Language of mails",
            view.LANGUAGES,
            key="invoice_language",
            format_func=view.LANGUAGES.__getitem__,
        )
        chain = chain_choice("On chain", "invoice_chain", "BASE_MAINNET")
        token = st.selectbox(
            "Token", list_symbols(services().catalogue, chain), key=f"invoice_token_{chain}"
        )
        recipient = st.text_input("Recipient address", key="invoice_recipient")
    draft = view.Draft(
        lines, chain, token or "", recipient, name, email, address, tax_name, notes,
        language or "en", parts,
    )  # fmt: skip
    label = "Issue invoice" if repeats == view.ONCE else "Create subscription"
    if st.button(label, icon=":material/receipt:", type="primary"):
        run_action(partial(_create, draft, repeats or view.ONCE, str(due), client))


def _create(draft: view.Draft, repeats: str, due: str, client: str | None) -> str:
    content = view.parse_draft(services(), draft)
    if repeats == view.ONCE:
        made = invoices.create(services(), operator(), content, due, client_id=client)
        notices.queue_toast(f"The invoice {made.invoice.number} is issued.")
        open_href(view.invoice_href(made.invoice.name))
    request = SubscriptionRequest(interval=view.INTERVALS[repeats], first_due_date=due)
    added = subscriptions.create(services(), operator(), content, request, client_id=client)
    notices.queue_toast("The subscription is created.")
    open_href(view.subscription_href(added.name))


@live_fragment.fragment()
def invoice_list(client: str | None = None, subscription: str | None = None) -> None:
    """A page of invoices, live; of one merchant or one subscription, if given."""
    with notices.show_errors():
        after = pagination.cursor("invoices", (client, subscription))
        rows, older = view.load_invoices(services(), operator(), after, subscription, client)
        if rows:
            widget.table(rows, view.COLUMNS, "invoices", "Invoices")
        elif client:
            notices.empty_state("No invoices of this merchant", "Choose another.", "receipt")
        elif subscription:
            text = "Next invoice, above, says when the first is issued."
            notices.empty_state("No invoices of this subscription yet", text, "receipt")
        else:
            text = "Create one below, or over the API."
            notices.empty_state(f"No {current_mode()} invoices yet", text, "receipt")
        pagination.page_buttons("invoices", older)


@live_fragment.fragment()
def subscription_list(client: str | None = None) -> None:
    """A page of subscriptions, live, of one merchant if given; nothing where there is none."""
    with notices.show_errors():
        after = pagination.cursor("subscriptions", client)
        rows, older = view.load_subscriptions(services(), operator(), after, client)
        if rows:
            st.header("Subscriptions")
            widget.table(rows, view.SUBSCRIPTION_COLUMNS, "subscriptions", "Subscriptions")
        pagination.page_buttons("subscriptions", older)


def payer_page(found: InvoiceView | Subscription) -> str:
    """The button that opens the payer's page; returns its URL."""
    path = (
        subscription_path(found.name)
        if isinstance(found, Subscription)
        else invoice_path(found.invoice.name)
    )
    url = page_url(services(), dashboard_origin(), path)
    st.link_button("Open the payer's page", url, icon=":material/open_in_new:")
    return url


def void_button(found: InvoiceView) -> None:
    """Make an invoice void, for those with permission."""
    number = found.invoice.number
    may = found.invoice.state == "open" and operator().can(Permission.OPERATE)
    if may and st.button("Make void", icon=":material/block:"):
        confirm(
            "Make void",
            f"Make {number} void? It keeps its number, and nobody can pay it any more.",
            f"Make {number} void",
            partial(_void, found.invoice.name),
        )


def _void(name: str) -> str:
    return f"{invoices.void(services(), operator(), name).invoice.number} is void."


def state_buttons(one: Subscription) -> None:
    """Pause, resume or cancel a subscription, for those with permission."""
    ended = (SubscriptionState.CANCELLED, SubscriptionState.ENDED)
    if one.state in ended or not operator().can(Permission.OPERATE):
        return
    with st.container(horizontal=True, gap="small"):
        if one.state is SubscriptionState.ACTIVE:
            if st.button("Pause", icon=":material/pause_circle:"):
                run_action(partial(_change, one, SubscriptionState.PAUSED))
        elif st.button("Resume", icon=":material/play_circle:"):
            run_action(partial(_change, one, SubscriptionState.ACTIVE))
        if st.button("Cancel subscription", icon=":material/cancel:"):
            confirm(
                "Cancel subscription",
                "No more invoices are issued. Those that were issued can still be paid.",
                "Cancel this subscription",
                partial(_change, one, SubscriptionState.CANCELLED),
                no="Keep it",
            )


def _change(one: Subscription, state: SubscriptionState) -> str:
    changed = subscriptions.change_state(services(), operator(), one.name, state.value)
    return f"The subscription is {changed.state}."
