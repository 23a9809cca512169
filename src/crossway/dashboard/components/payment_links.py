"""Payment links: the forms, the actions, and sharing them as URL, QR code and poster."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import list_table, live_fragment, notices, pagination, widget
from crossway.dashboard.components.actions import run_action
from crossway.dashboard.components.amount_reading import (
    AmountInput,
    run_as_shown,
    show_readings,
)
from crossway.dashboard.components.asset_inputs import chain_choice, chain_label, usable_chains
from crossway.dashboard.components.checkout_page import dashboard_origin
from crossway.dashboard.components.navigation import open_href
from crossway.dashboard.session import current_mode, operator, services
from crossway.dashboard.views import clients as client_view
from crossway.dashboard.views import merchant_names
from crossway.dashboard.views import payment_links as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.formatting import list_symbols
from crossway.dashboard.views.links import payment_link_href
from crossway.dashboard.views.status_labels import SIMULATED
from crossway.domain.money import Token
from crossway.domain.payment_links import PaymentLink
from crossway.domain.roles import Permission
from crossway.qr import qr_svg
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkRequest
from crossway.usecases.payments import checkout_urls


def new_link_form() -> None:
    """The form of a new payment link, for those with permission."""
    if operator().can(Permission.OPERATE):
        with st.expander("New payment link", icon=":material/add_link:", key="new_link_fold"):
            _form()


def _form() -> None:
    names = client_view.client_names(services())
    client = st.selectbox("Merchant", list(names), format_func=names.__getitem__, key="link_client")
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Content")
        title = st.text_input("Title", key="link_title", max_chars=100, placeholder="Coffee")
        about = st.text_area("Description (optional)", key="link_about", max_chars=1_000, height=80)
        reference = st.text_input("Your reference (optional)", key="link_reference", max_chars=100)
        fixed, amount, min_amount, max_amount = _amount_inputs(None, "link")
    with right:
        st.subheader("Destination")
        to = chain_choice("On chain", "link_chain", "BASE_MAINNET")
        token = st.selectbox(
            "Token", list_symbols(services().catalogue, to), key=f"link_token_{to}"
        )
        recipient = st.text_input("Recipient address", key="link_recipient")
        st.subheader("Limits (optional)")
        chains, tokens = _source_inputs(None, "link")
        uses = st.text_input("Maximum uses", key="link_uses", placeholder="Unlimited")
        until = st.date_input("Last day (UTC)", None, key="link_until")
    draft = view.Draft(
        title,
        about,
        fixed,
        amount,
        min_amount,
        max_amount,
        to,
        token or "",
        recipient,
        chains,
        tokens,
        reference,
        uses,
        until,
    )
    was_shown = _amounts_shown("link", draft, services().catalogue.tokens[to, draft.token])
    if st.button("Create payment link", icon=":material/add_link:", type="primary"):
        run_as_shown(was_shown, lambda: _create(draft, client))


def _amount_inputs(link: PaymentLink | None, key: str) -> tuple[bool, str, str, str]:
    ways = [view.FIXED, view.CHOSEN]
    open_ = link is not None and link.amount is None
    kind = st.radio("Amount", ways, index=int(open_), key=f"{key}_kind", horizontal=True)
    if kind == view.FIXED:
        start = _amount_text(link, link.amount) if link else ""
        return True, st.text_input("Amount", start, key=f"{key}_amount"), "", ""
    first, second = st.columns(2, gap="small")
    low = _amount_text(link, link.min_amount) if link else ""
    high = _amount_text(link, link.max_amount) if link else ""
    return (
        False,
        "",
        first.text_input("Minimum (optional)", low, key=f"{key}_least"),
        second.text_input("Maximum (optional)", high, key=f"{key}_most"),
    )


def _amounts_shown(name: str, draft: view.Draft, token: Token) -> bool:
    amounts = (
        {"Amount": draft.amount}
        if draft.fixed
        else {
            "Minimum": draft.min_amount,
            "Maximum": draft.max_amount,
        }
    )
    inputs = (AmountInput(f, t, token.decimals, token.symbol) for f, t in amounts.items())
    return show_readings(name, *inputs)


def _amount_text(link: PaymentLink, units: int | None) -> str:
    return "" if units is None else view.format_for_input(services(), link, units)


def _source_inputs(link: PaymentLink | None, key: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    chains = st.multiselect(
        "Accepted chains",
        [chain.id for chain in usable_chains()],
        list(link.source_chains) if link else [],
        key=f"{key}_chains",
        format_func=chain_label,
        placeholder="Any chain",
    )
    tokens = st.multiselect(
        "Accepted tokens",
        view.list_source_symbols(services(), chains),
        list(link.source_tokens) if link else [],
        key=f"{key}_tokens",
        placeholder="Any token",
    )
    return tuple(chains), tuple(tokens)


def _create(draft: view.Draft, client: str | None) -> str:
    request = view.parse_change(services(), draft)
    created = links.create(services(), operator(), request, client_id=client)
    notices.queue_toast(f"The payment link {created.title} is created.")
    open_href(payment_link_href(created.id))


def change(link: PaymentLink) -> None:
    """The form with every editable field of a payment link: all but the destination."""
    if not operator().can(Permission.OPERATE):
        return
    key = f"link_{link.id}"
    title = st.text_input("Title", link.title, key=f"{key}_title", max_chars=100)
    about = st.text_area("Description", link.description, key=f"{key}_about", height=80)
    reference = st.text_input("Your reference", link.reference, key=f"{key}_reference")
    fixed, amount, min_amount, max_amount = _amount_inputs(link, key)
    chains, tokens = _source_inputs(link, key)
    uses = st.text_input("Maximum uses", str(link.max_uses or ""), key=f"{key}_uses")
    ends = view.last_day(link.expires_at) if link.expires_at else None
    until = st.date_input("Last day (UTC)", ends, key=f"{key}_until")
    draft = view.Draft(
        title,
        about,
        fixed,
        amount,
        min_amount,
        max_amount,
        "",
        "",
        "",
        chains,
        tokens,
        reference,
        uses,
        until,
    )
    was_shown = _amounts_shown(key, draft, view.get_token(services(), link))
    if st.button("Save", icon=":material/save:", type="primary", key=f"{key}_save"):
        run_as_shown(was_shown, lambda: _update(link, view.parse_change(services(), draft, link)))


def switch(link: PaymentLink) -> None:
    """Enable or disable a payment link."""
    label, icon = ("Disable", "power_off") if link.active else ("Enable", "power")
    if operator().can(Permission.OPERATE) and st.button(label, icon=f":material/{icon}:"):
        run_action(partial(_update, link, LinkRequest(active=not link.active)))


def _update(link: PaymentLink, request: LinkRequest) -> str:
    after = links.update(services(), operator(), link.id, request)
    return f"The payment link {after.title} is updated."


def share(link: PaymentLink) -> str:
    """The QR code, and links to the page and its poster; returns the page's URL."""
    url = checkout_urls.link_url(services(), dashboard_origin(), link.id)
    mark = SIMULATED if services().environment == "simulated" else ""
    alt = f"QR code of the payment link {link.title}"
    st.image(qr_svg(url, alt, mark), width=220, alt=alt)
    with st.container(horizontal=True, gap="small"):
        st.link_button("Open checkout page", url, icon=":material/open_in_new:")
        st.link_button("Printable poster", f"{url}/poster", icon=":material/print:")
    return url


@live_fragment.fragment()
def use_list(link_id: str) -> None:
    """The payments made through a link, live."""
    with notices.show_errors():
        before = pagination.cursor("link_uses", link_id)
        rows, older = view.load_uses(services(), operator(), link_id, before)
        if rows:
            widget.table(rows, view.USE_COLUMNS, "link_uses", "Payments")
        else:
            text = "Share the URL or the QR code with payers."
            notices.empty_state("No payments yet", text, "qr_code_2")
        pagination.page_buttons("link_uses", older)


@live_fragment.fragment()
def link_list(after: str, merchant: str | None) -> None:
    """A page of payment links, of one merchant or all, live."""
    with notices.show_errors():
        page = view.load_page(services(), operator(), after, merchant)
        if page.rows:
            names = client_view.client_names(services())
            columns, rows = merchant_names.drop_lone_merchant(names, view.COLUMNS, page.rows)
            list_table.row_table(rows, columns, "payment_links", "Payment links")
        elif merchant:
            notices.empty_state("No payment links of this merchant", "Choose another.", "add_link")
        else:
            text = "Create one below. Every payer who opens it gets a separate payment."
            notices.empty_state(f"No {current_mode()} payment links yet", text, "add_link")
        ways = (
            [LinkButton("Newest", view.list_href(merchant=merchant), "first_page")] if after else []
        )
        if page.next_cursor:
            older = view.list_href(page.next_cursor, merchant)
            ways.append(LinkButton("Older", older, "arrow_forward"))
        if ways:
            widget.link_buttons(ways, "link_pages", width="content")
