"""The form of a new payment: begun with what the merchant used last, each error at its field."""

from collections.abc import Sequence
from functools import partial
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from crossway.dashboard.components import notices, permissions, widget
from crossway.dashboard.components.amount_reading import show_reading
from crossway.dashboard.components.asset_inputs import chain_choice, token_choice
from crossway.dashboard.components.navigation import SHOWN_PAGE
from crossway.dashboard.session import current_mode, operator, operator_for, services
from crossway.dashboard.views import clients, new_intent
from crossway.dashboard.views.formatting import chain_name, shorten
from crossway.dashboard.views.new_intent import Draft, FormField
from crossway.domain.errors import InvalidInput
from crossway.domain.quotes import Quote
from crossway.usecases.payments.last_used import (
    ByFamily,
    LastUsed,
    UsedAddress,
    find_newest_client,
    get_last_used,
)

_CREATED: Final = "made"  # The query parameter with the id of the payment that was created.
_MERCHANT, _RECIPIENT, _REFUND_KEY = "payment_merchant", "recipient", "refund"
_FORM: Final = frozenset(
    {"amount", "to_chain", "token_out", "source", "token_in", _MERCHANT, _RECIPIENT, _REFUND_KEY}
)
MERCHANT_COOKIE: Final = "crossway_merchant"
_REFUND = "On the payer's chain: gets the money back if the payment cannot be completed."
_SUBMITTED, _READING, _FILLED = "payment_submitted", "payment_reading", "payment_filled"
_JUST_CREATED, _LEFT = "payment_just_created", "payment_form_left"
_BEGUN, _REPEATED = "payment_begun_with", "payment_form_repeated"
_LINKED: Final = "payment_linked"  # What each field got from the address of the page.

Slots = dict[FormField, DeltaGenerator]  # Where what is wrong with each field is shown.


def created_id() -> str:
    """The id of the created payment to show; empty while there is the form to show.

    An address that has values of the form as well is the one that Back leads to: Streamlit adds the
    id to it before it removes them."""
    created, just_created = (
        st.query_params.get(_CREATED, ""),
        st.session_state.pop(_JUST_CREATED, ""),
    )
    is_form = not _FORM.isdisjoint(st.query_params) and created != just_created
    if not created or is_form:
        return ""
    st.session_state[_LEFT] = True
    return created


def form() -> None:
    """The form, and beside it the quote and the button that creates the payment."""
    if st.session_state.get(SHOWN_PAGE) != "new_intent" or st.session_state.pop(_LEFT, False):
        _begin_anew()
    left, right = st.columns([3, 2], gap="large")
    with left:
        merchant = _merchant_choice()
        used = get_last_used(services(), operator_for(merchant))
        slots: Slots = {}
        draft = _fields(merchant, used, slots)
    _repeat_if_overridden()
    with right, st.container(border=True):
        _quote_and_submit(merchant, draft, slots)
    widget.focus("amount")


def _begin_anew() -> None:
    """The session may have kept the values of a form that the browser has left and forgotten."""
    for key in _FORM - set(st.query_params):
        st.session_state.pop(key, None)
    st.session_state.pop(_FILLED, None)


def _begin_with(key: str, value: str) -> None:
    """Let this run draw the field of this key with this value."""
    st.session_state[key] = st.session_state.setdefault(_BEGUN, {})[key] = value


def _repeat_if_overridden() -> None:
    """Draw the form again where Streamlit has drawn something else than it was begun with: in a run
    that follows a link it gives each field that the address does not name its default."""
    begun, repeated = st.session_state.pop(_BEGUN, {}), st.session_state.pop(_REPEATED, False)
    if not repeated and any(st.session_state[key] != value for key, value in begun.items()):
        st.session_state[_REPEATED] = True
        _begin_anew()
        st.rerun()


def _merchant_choice() -> str:
    """The merchant that the payment is for, the last used first."""
    names = clients.client_names(services())
    last = st.session_state.get(MERCHANT_COOKIE) or st.context.cookies.get(MERCHANT_COOKIE)
    if last not in names:
        last = find_newest_client(services(), operator())
    options = sorted(names, key=lambda client: client != last)
    # In the page's URL as the addresses are: a reload must not give them to another merchant.
    return st.selectbox(
        "Merchant",
        options,
        key=_MERCHANT,
        format_func=names.__getitem__,
        bind="query-params",
        width=320,
    )


def _fields(merchant: str, used: LastUsed, slots: Slots) -> Draft:
    terms = used.payment.terms if used.payment else None
    st.header("1. Payout")
    first, second, third = st.columns(3, gap="small")
    with third:
        to_chain = chain_choice(
            "On chain", "to_chain", terms.destination_chain if terms else "BASE_MAINNET"
        )
        slots["destination"] = st.container()
    with second:
        _fill_token("token_out", used.payment.out_symbol if used.payment else "")
        token_out = token_choice("Token", "token_out", to_chain)
    with first:
        amount = st.text_input("Recipient gets", "25", key="amount", bind="query-params")
        slots["amount"] = st.container()
    recipients = _suggested(used.recipients, to_chain)
    recipient = _address_field("Recipient address", _RECIPIENT, merchant, to_chain, recipients)
    slots["recipient"] = st.container()
    st.header("2. Deposit")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        source = chain_choice(
            "From chain", "source", terms.source_chain if terms else "ARBITRUM_MAINNET"
        )
        _fill_token("token_in", used.payment.asset_symbol if used.payment else "")
        token_in = token_choice("Payer pays with", "token_in", source)
    slots["source"] = slots["token_in"] = st.container()
    refunds = _suggested(used.refund_addresses, source)
    refund = _address_field("Refund address", _REFUND_KEY, merchant, source, refunds, _REFUND)
    slots["refund"] = st.container()
    reference = st.text_input("Your reference (optional)", key="reference", max_chars=40)
    if services().environment == "simulated":
        fill = partial(_fill_in_examples, source, to_chain)
        st.button("Use example addresses", icon=":material/science:", on_click=fill)
    return Draft(source, to_chain, token_in, token_out, amount, recipient, refund, reference)


def _suggested(used: ByFamily, chain: str) -> Sequence[UsedAddress]:
    return used.get(services().catalogue.chains[chain].kind, ())


def _fill_token(key: str, symbol: str) -> None:
    """Begin with the token of the last payment."""
    if symbol and key not in st.session_state and key not in st.query_params:
        _begin_with(key, symbol)


def _address_field(
    label: str,
    key: str,
    merchant: str,
    chain: str,
    used: Sequence[UsedAddress],
    hint: str | None = None,
) -> str:
    """An address, begun with the one that the merchant used last on chains of this family."""
    begun_for = (merchant, current_mode(), services().catalogue.chains[chain].kind)
    filled = st.session_state.setdefault(_FILLED, {})
    typed, last = st.session_state.get(key), filled.get(key, (None, ""))
    # What an address brings is kept; what was filled in here stands in the address as well.
    untouched = key not in st.query_params if typed is None else typed in ("", last[1])
    suggestion = used[0].address if used else ""
    if typed is None:
        st.session_state.setdefault(_LINKED, {})[key] = st.query_params.get(key, "")
    # A payment that was created meanwhile changes what is suggested, as another chain does.
    if typed is None or (untouched and last != (begun_for, suggestion)):
        filled[key] = (begun_for, suggestion)
        if untouched and suggestion != (typed or ""):
            _begin_with(key, suggestion)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        address = st.text_input(label, key=key, bind="query-params", help=hint)
        if used:
            _last_used(key, used)
    known = {one.address for one in used}
    if address and address == st.session_state[_LINKED].get(key) and address not in known:
        name = label.removesuffix(" address")
        st.caption(f":material/link: {name} taken from the link that opened this page: check it.")
    return address


def _last_used(key: str, used: Sequence[UsedAddress]) -> None:
    with st.popover("Last used", icon=":material/history:"):
        for one in used:
            text = f"{shorten(one.address)} · {chain_name(services().catalogue, one.chain)}"
            choose = partial(st.session_state.__setitem__, key, one.address)
            st.button(text, key=f"{key}_{one.address}", help=one.address, on_click=choose)


def _fill_in_examples(source: str, destination: str) -> None:
    with notices.show_errors():
        st.session_state[_RECIPIENT] = new_intent.example_address(services(), destination)
        st.session_state[_REFUND_KEY] = new_intent.example_address(services(), source)


def _quote_and_submit(merchant: str, draft: Draft, slots: Slots) -> None:
    st.subheader("Current quote")
    errors = new_intent.check_draft(services(), draft, bool(st.session_state.get(_SUBMITTED)))
    quote = None
    if "amount" in errors or not draft.amount.strip():
        st.caption(":material/more_horiz: The quote appears once the amount is complete.")
    else:
        _show_reading(draft, slots["amount"])
        quote = _price(merchant, draft, errors)
    for name, text in errors.items():
        with slots[name]:
            notices.field_error(text)
    if permissions.can_work():
        _submit(merchant, draft, bool(errors) or quote is None)


def _price(merchant: str, draft: Draft, errors: dict[FormField, str]) -> Quote | None:
    """The quote; None where there is none, with the reason here or at the field to change."""
    with notices.show_errors():
        try:
            quote = new_intent.price_draft(services(), operator_for(merchant), draft)
        except InvalidInput as error:
            field, text = new_intent.attribute_error(error)
            if field is None:
                raise
            errors.setdefault(field, text)
            st.caption(":material/more_horiz: No quote yet: see what is marked in the form.")
            return None
        widget.details(new_intent.build_price_details(quote), "price", "Current quote")
        return quote
    return None


def _show_reading(draft: Draft, slot: DeltaGenerator) -> None:
    """The amount as it is understood, where it is not written that way."""
    read = new_intent.read_draft_amount(services(), draft)
    understood = new_intent.format_draft_amount(services(), draft)
    with slot:
        show_reading(draft.amount, read, understood)


def _submit(merchant: str, draft: Draft, incomplete: bool) -> None:
    """The button that creates the payment. An amount that can be read in two ways must have been
    shown as it is understood before."""
    try:
        amount = new_intent.format_draft_amount(services(), draft)
        reading = draft.amount if new_intent.read_draft_amount(services(), draft).note else ""
    except InvalidInput:
        amount, reading = f"… {draft.token_out}", ""
    shown = st.session_state.get(_READING, "")
    st.session_state[_READING] = reading
    clicked = st.button(
        f"Create a payment of {amount}",
        key="create_payment",
        type="primary",
        icon=":material/add_circle:",
        width="stretch",
        on_click=partial(st.session_state.__setitem__, _SUBMITTED, True),
    )
    if not clicked or incomplete:
        return
    if reading != shown and reading:
        st.info("Check how the amount is read, then create the payment.", icon=":material/help:")
        return
    with notices.show_errors():
        created = new_intent.create_payment(services(), operator_for(merchant), draft)
        st.session_state.pop(_SUBMITTED, None)
        st.session_state[MERCHANT_COOKIE] = created.client_id
        st.query_params[_CREATED] = st.session_state[_JUST_CREATED] = str(created.id)
        st.rerun()
