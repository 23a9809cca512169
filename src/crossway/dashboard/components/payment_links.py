"""Payment links: the form, the buttons, and what is handed to payers: address, QR code, poster."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import living, notices, paging, widget
from crossway.dashboard.components.actions import perform
from crossway.dashboard.components.filters import chain_choice, chain_label, usable_chains
from crossway.dashboard.components.payers_page import found_at
from crossway.dashboard.components.qr import qr_svg
from crossway.dashboard.navigation import open_href
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import clients as client_view
from crossway.dashboard.views import payment_links as view
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.figures import symbols_on
from crossway.dashboard.views.links import payment_link_href
from crossway.domain.links import PaymentLink
from crossway.domain.roles import Right
from crossway.usecases.payers import links, paying
from crossway.usecases.payers.link_fields import LinkChange


def new_link_fold() -> None:
    """The form of a new payment link, for those who may make one."""
    if operator().may(Right.WORK):
        with st.expander("New payment link", icon=":material/add_link:", key="new_link_fold"):
            _new_link()


def _new_link() -> None:
    names = client_view.names(services())
    client = st.selectbox("Client", list(names), format_func=names.__getitem__, key="link_client")
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("What payers read")
        title = st.text_input("Title", key="link_title", max_chars=100, placeholder="Coffee")
        about = st.text_area("Description (optional)", key="link_about", max_chars=1_000, height=80)
        reference = st.text_input("Your reference (optional)", key="link_reference", max_chars=100)
        fixed, amount, least, most = _amounts(None, "link")
    with right:
        st.subheader("Where it goes")
        to = chain_choice("On chain", "link_chain", "BASE_MAINNET")
        token = st.selectbox("Token", symbols_on(services().catalogue, to), key=f"link_token_{to}")
        recipient = st.text_input("Recipient's address", key="link_recipient")
        st.subheader("Limits (optional)")
        chains, tokens = _sources(None, "link")
        uses = st.text_input("Uses at most", key="link_uses", placeholder="Any number")
        until = st.date_input("Takes payments until (UTC)", None, key="link_until")
    draft = view.Draft(
        title, about, fixed, amount, least, most, to, token or "", recipient, chains, tokens,
        reference, uses, until,
    )  # fmt: skip
    if st.button("Make the payment link", icon=":material/add_link:", type="primary"):
        perform(lambda: _made(draft, client))


def _amounts(known: PaymentLink | None, key: str) -> tuple[bool, str, str, str]:
    ways = [view.FIXED, view.CHOSEN]
    open_ = known is not None and known.amount_units is None
    kind = st.radio("Amount", ways, index=int(open_), key=f"{key}_kind", horizontal=True)
    if kind == view.FIXED:
        start = _typed(known, known.amount_units) if known else ""
        return True, st.text_input("Amount that arrives", start, key=f"{key}_amount"), "", ""
    first, second = st.columns(2, gap="small")
    low = _typed(known, known.least_units) if known else ""
    high = _typed(known, known.most_units) if known else ""
    return (
        False, "",
        first.text_input("At least (optional)", low, key=f"{key}_least"),
        second.text_input("At most (optional)", high, key=f"{key}_most"),
    )  # fmt: skip


def _typed(known: PaymentLink, units: int | None) -> str:
    return "" if units is None else view.typed(services(), known, units)


def _sources(known: PaymentLink | None, key: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    chains = st.multiselect(
        "Payers may pay on", [chain.id for chain in usable_chains()],
        list(known.source_chains) if known else [], key=f"{key}_chains", format_func=chain_label,
        placeholder="Any chain",
    )  # fmt: skip
    tokens = st.multiselect(
        "With", view.symbols(services(), chains), list(known.source_tokens) if known else [],
        key=f"{key}_tokens", placeholder="Any token",
    )  # fmt: skip
    return tuple(chains), tuple(tokens)


def _made(draft: view.Draft, client: str | None) -> str:
    asked = view.change_of(services(), draft)
    made = links.create(services(), operator(), asked, client_id=client)
    notices.say(f"The payment link {made.title} is made.")
    open_href(payment_link_href(made.id))


def change(known: PaymentLink) -> None:
    """Everything of a payment link that can be changed: all but where the money goes."""
    if not operator().may(Right.WORK):
        return
    key = f"link_{known.id}"
    title = st.text_input("Title", known.title, key=f"{key}_title", max_chars=100)
    about = st.text_area("Description", known.description, key=f"{key}_about", height=80)
    reference = st.text_input("Your reference", known.reference, key=f"{key}_reference")
    fixed, amount, least, most = _amounts(known, key)
    chains, tokens = _sources(known, key)
    uses = st.text_input("Uses at most", str(known.most_uses or ""), key=f"{key}_uses")
    ends = view.last_day(known.expires_at) if known.expires_at else None
    until = st.date_input("Takes payments until (UTC)", ends, key=f"{key}_until")
    draft = view.Draft(
        title, about, fixed, amount, least, most, "", "", "", chains, tokens, reference, uses, until
    )
    if st.button("Save", icon=":material/save:", type="primary", key=f"{key}_save"):
        perform(lambda: _changed(known, view.change_of(services(), draft, known)))


def switch(known: PaymentLink) -> None:
    """Switch a payment link off, or on again."""
    label, icon = ("Switch off", "power_off") if known.active else ("Switch on", "power")
    if operator().may(Right.WORK) and st.button(label, icon=f":material/{icon}:"):
        perform(partial(_changed, known, LinkChange(active=not known.active)))


def _changed(known: PaymentLink, asked: LinkChange) -> str:
    after = links.change(services(), operator(), known.id, asked)
    return f"The payment link {after.title} is changed."


def share(known: PaymentLink) -> str:
    """What is handed to payers: the QR code, and ways to the page and to its poster. Answers the
    page's address."""
    url = paying.link_address(services(), found_at(), known.id)
    simulated = services().network == "simulated"
    st.image(qr_svg(url, simulated), width=220, alt=f"QR code of the payment link {known.title}")
    with st.container(horizontal=True, gap="small"):
        st.link_button("Open the page", url, icon=":material/open_in_new:")
        st.link_button("Poster to print", f"{url}/poster", icon=":material/print:")
    return url


@living.part()
def used(link_id: str) -> None:
    """What payers made by a link."""
    with notices.in_words():
        before = paging.before("link_uses", link_id)
        rows, older = view.uses(services(), operator(), link_id, before)
        if rows:
            widget.table(rows, view.USE_COLUMNS, "link_uses", "Uses")
        else:
            words = "Hand its address or its QR code to a payer."
            notices.empty("Nobody has paid by it yet", words, "qr_code_2")
        paging.turn("link_uses", older)


@living.part()
def listed(after: str) -> None:
    """A page of payment links."""
    with notices.in_words():
        found = view.listing(services(), operator(), after)
        if found.rows:
            widget.table(found.rows, view.COLUMNS, "payment_links", "Payment links")
        else:
            words = "Make one below: many payers can pay by it, each gets a payment of their own."
            notices.empty("No payment links yet", words, "add_link")
        ways = [Way("Newest", "payment_links", "first_page")] if after else []
        if found.behind:
            ways.append(Way("Older", view.older(found.behind), "arrow_forward"))
        if ways:
            widget.ways(ways, "link_pages", width="content")
