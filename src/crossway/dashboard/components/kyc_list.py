"""The list of identity checks with its filters, and the page of one of them."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import (
    environment,
    kyc,
    list_table,
    live_fragment,
    merchants,
    notices,
    pagination,
    widget,
)
from crossway.dashboard.mode_choice import keep_mode
from crossway.dashboard.session import current_mode, operator, services
from crossway.dashboard.views import clients, kyc_checks
from crossway.dashboard.views import kyc as kyc_view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.fiat import country_name
from crossway.dashboard.views.links import client_href, is_record_id, page_href
from crossway.domain.errors import NotFound
from crossway.domain.ramps import provider_name
from crossway.usecases.kyc import checks


def listed_checks() -> None:
    """All checks that fit the filters, live."""
    st.header("Customers")
    providers = {p.name.value: p.capabilities.title for p in services().ramps}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        merchant = merchants.merchant_filter(alone=True)
        choices = (("Provider", providers), ("Status", kyc_checks.STATUSES))
        chosen = [
            st.selectbox(
                label,
                list(options),
                index=None,
                key=f"checks_{label.lower()}",
                format_func=options.__getitem__,
                placeholder="Any",
                width=200,
                bind="query-params",
                on_change=keep_mode,
            )
            for label, options in choices
        ]
    _rows(merchant, *chosen)


@live_fragment.fragment()
def _rows(merchant: str | None, provider: str | None, status: str | None) -> None:
    with notices.show_errors():
        after = pagination.cursor("checks", (merchant, provider, status))
        page = kyc_checks.load_page(services(), operator(), merchant, provider, status, after)
        if page.rows:
            st.caption("Last changed first. Addresses are masked: search by the exact one above.")
            list_table.row_table(page.rows, kyc_checks.COLUMNS, "kyc_checks", "Identity checks")
        elif merchant or provider or status:
            notices.empty_state("No matching checks", "Remove a filter.")
        else:
            way = LinkButton("New ramp order", page_href("ramp_order_new"), "add_card")
            notices.empty_state(
                f"No {current_mode()} identity checks yet",
                "A check appears with a customer's first submission or ramp order.",
                "badge",
                partial(widget.link_buttons, (way,), "first_check", width="content"),
            )
        pagination.page_buttons("checks", page.older_than)


def one_check(identifier: str) -> None:
    """One customer's check: how far it is, what is missing and the way to it, and their orders."""
    with notices.show_errors():
        if not is_record_id(identifier):
            raise NotFound("No such identity check")
        check, email = checks.get_check(services(), operator(), int(identifier))
        environment.other_mode_notice(check.mode)
        currency = check.currency or kyc_view.find_currency(
            services(), check.provider, check.country
        )
        merchant = clients.client_names(services()).get(check.client_id, check.client_id)
        place = country_name(services().fiat, check.country)
        title = f"{provider_name(check.provider)}, {place}, for {merchant}"
        st.subheader(notices.escape_markdown(title))
        way = LinkButton(f"Merchant {merchant}", client_href(check.client_id), "storefront")
        widget.link_buttons((way,), "check_merchant", width="content")
        if check.mode == current_mode() and email:
            amount = kyc.amount_field()
            who = (check.client_id, check.provider, email, check.country, currency)
            kyc.kyc_status(*who, amount)
            kyc.submission_form(*who, amount)
            kyc.customer_orders(email)
            kyc.erase(email)
    widget.link_buttons(
        (LinkButton("All identity checks", page_href("kyc"), "arrow_back"),), "to_checks"
    )
