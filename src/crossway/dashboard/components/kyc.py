"""The identity page: a customer's KYC status, submission, requirements and erasure."""

from dataclasses import replace
from functools import partial

import streamlit as st

from crossway.dashboard.components import environment, live_fragment, notices, widget
from crossway.dashboard.components.actions import confirm, run_action
from crossway.dashboard.components.permissions import requires
from crossway.dashboard.session import operator, operator_for, services
from crossway.dashboard.views import clients as client_view
from crossway.dashboard.views import kyc as view
from crossway.dashboard.views import list_columns, ramp_orders
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.kyc import Requirement
from crossway.domain.roles import Permission
from crossway.ports.ramps import Document
from crossway.usecases.kyc import customers, verification

# The amount of the order from whose form somebody comes here.
AMOUNT_OF_ORDER, _AMOUNT = "kyc_amount_of_order", "kyc_amount"
_TYPES = ("png", "jpg", "jpeg", "pdf")
ERASED = (
    "The e-mail address, all submitted KYC data and the fields of this customer's orders are "
    "deleted from the database permanently, for every merchant in the current mode. The orders and "
    "their amounts are kept. Data held by the providers is not affected, and what was used of this "
    "month's limits stays counted."
)


def email_field() -> str:
    """The customer's exact e-mail address, kept in the session and never in a URL."""
    return st.text_input(
        "Customer's e-mail", key="email", width=320, autocomplete="off", persist_state="session"
    )


def amount_field() -> str:
    """The amount of an order that the customer would like to place."""
    if wanted := st.session_state.pop(AMOUNT_OF_ORDER, ""):
        st.session_state[_AMOUNT] = wanted
    return st.text_input(
        "Amount in USDC (optional)",
        key=_AMOUNT,
        width=200,
        help="Checks whether an order of this amount is allowed.",
    )


def provider_choice(currency: str, country: str) -> str | None:
    """A provider that serves this corridor."""
    providers = dict(view.list_providers(services(), currency, country))
    if not providers:
        return None
    if st.session_state.get("provider") not in (None, *providers):
        del st.session_state["provider"]
    return st.selectbox(
        "Provider",
        list(providers),
        key="provider",
        format_func=providers.__getitem__,
        bind="query-params",
    )


def merchant_choice(email: str) -> str:
    """The merchant whose customer to show; first those that know the person."""
    names = client_view.client_names(services())
    caller = operator()
    known = customers.list_customers(services(), caller, email)
    if not known:
        elsewhere = customers.list_customers(services(), replace(caller, mode=None), email)
        environment.other_mode_notice(elsewhere[0].mode if elsewhere else None)
    options = [*dict.fromkeys(customer.client_id for customer in known), *names]
    return st.selectbox(
        "Merchant",
        list(dict.fromkeys(options)),
        key=f"kyc_merchant {email}",
        format_func=lambda client: names.get(client, client),
        width=240,
        help="A customer's KYC belongs to the merchant that handed it in.",
    )


@live_fragment.fragment()
def kyc_status(
    merchant: str, provider: str, email: str, country: str, currency: str, amount: str
) -> None:
    """A merchant's customer's KYC status with a provider, live."""
    with notices.show_errors():
        caller = operator_for(merchant)
        panel = view.load_panel(services(), caller, provider, email, country, currency, amount)
        widget.details(panel.details, "kyc_facts", "KYC status")
        if panel.used:
            st.progress(panel.share, text=notices.escape_markdown(panel.used))
        if panel.verdict:
            (st.success if panel.good else st.warning)(notices.escape_markdown(panel.verdict))
        if panel.missing:
            st.markdown("**Missing:** " + notices.escape_markdown(_join_labels(panel.missing)))
            st.caption(notices.escape_markdown(panel.missing_for))
        if panel.next_step:
            st.info(notices.escape_markdown(panel.next_step), icon=":material/arrow_forward:")
        if panel.verification_url:
            st.link_button(
                f"Open {panel.provider}'s page",
                panel.verification_url,
                icon=":material/open_in_new:",
            )


def _join_labels(missing: tuple[Requirement, ...]) -> str:
    return "; ".join(requirement.label for requirement in missing)


@requires(Permission.OPERATE)
def submission_form(
    merchant: str, provider: str, email: str, country: str, currency: str, amount: str
) -> None:
    """A form for the missing fields, unfolded where an order waits for them; inputs are stored
    encrypted only."""
    caller = operator_for(merchant)
    try:
        panel = view.load_panel(services(), caller, provider, email, country, currency, amount)
    except InvalidInput:
        return  # The status above says what is wrong.
    if not panel.missing:
        return
    with st.expander(
        "Submit missing requirements",
        icon=":material/upload_file:",
        expanded=panel.good is False,
    ):
        with st.form("kyc_form", clear_on_submit=False, border=False):
            typed = {
                requirement.key: _field(requirement)
                for requirement in panel.missing
                if requirement.type != "document"
            }
            files = {
                requirement.key: _file(requirement)
                for requirement in panel.missing
                if requirement.type == "document"
            }
            submitted = st.form_submit_button("Submit", icon=":material/send:", type="primary")
        if submitted:
            fields = {key: value for key, value in typed.items() if value}
            documents = [
                Document(key, file.type, file.getvalue()) for key, file in files.items() if file
            ]
            run_action(
                partial(_submit, caller, provider, email, country, currency, fields, documents)
            )


def _field(requirement: Requirement) -> str | None:
    label = notices.escape_markdown(requirement.label)
    if not requirement.required:
        label += " (optional)"
    key = f"kyc_{requirement.key}"
    if requirement.type == "enum":
        return st.selectbox(label, requirement.options, index=None, key=key, placeholder="Choose")
    return st.text_input(label, key=key, autocomplete="off") or None


def _file(requirement: Requirement):  # type: ignore[no-untyped-def]
    return st.file_uploader(
        requirement.label, type=_TYPES, key=f"kyc_{requirement.key}", max_upload_size=5
    )


def _submit(
    caller: Principal,
    provider: str,
    email: str,
    country: str,
    currency: str,
    fields: dict[str, str],
    documents: list[Document],
) -> str:
    verification.submit_kyc(
        services(), caller, provider, email, country, fields, documents, currency=currency
    )
    return "Submitted; the provider is reviewing it."


@live_fragment.fragment()
def customer_orders(email: str) -> None:
    """The customer's latest orders, live; nothing if there are none."""
    with notices.show_errors():
        page = ramp_orders.load_customer_orders(services(), operator(), email)
        if page.rows:
            st.header("Orders")
            columns = list_columns.columns_of(ramp_orders.USUAL)
            widget.table(page.rows, columns, "kyc_orders", "Orders")


@requires(Permission.MANAGE)
def erase(email: str) -> None:
    """Erase a customer's personal data after confirmation."""
    if st.button("Erase this customer…", icon=":material/delete_forever:"):
        confirm("Erase this customer?", ERASED, "Erase permanently", lambda: _erase(email))


def _erase(email: str) -> str:
    orders = customers.erase_customer(services(), operator(), email)
    return f"Erased, with the personal data of {orders} order{'s' if orders != 1 else ''}."


def requirements(provider: str, country: str, currency: str) -> None:
    """The provider's requirements, tier by tier."""
    rows, elsewhere = view.load_requirements(services(), operator(), provider, country, currency)
    if elsewhere:
        st.markdown("This provider verifies customers on its own page; nothing is submitted here.")
    widget.table(rows, view.REQUIREMENT_COLUMNS, "kyc_requirements", "Provider requirements")
