"""The controls on outgoing money on the page Treasury: approvals, the address book, daily caps."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import emergency_stop, live_fragment, notices, widget
from crossway.dashboard.components.actions import confirm, confirm_with_text, run_action
from crossway.dashboard.components.amount_reading import (
    AmountInput,
    run_as_shown,
    show_readings,
)
from crossway.dashboard.components.asset_inputs import chain_label, usable_chains
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import outgoing_controls as view
from crossway.dashboard.views.formatting import format_amount, list_symbols
from crossway.domain.approvals import Approval
from crossway.domain.outgoing_controls import BookedAddress
from crossway.domain.roles import Permission
from crossway.domain.typed_amounts import read_amount
from crossway.ports.topics import Topic
from crossway.usecases.money import address_book, approvals, transfer_caps
from crossway.usecases.money.approvals import TITLES
from crossway.usecases.payments.manual_transfers import CARRY_OUT

_SHOWN_ENDED = 20
_CAP_WAITS = "The cap stays as it is until another person has approved the change."


def sections() -> None:
    """Approvals, the address book and caps, each with its heading."""
    st.header("Approvals")
    emergency_stop.release_form()
    _approvals()
    st.header("Address book")
    _addresses()
    if operator().can(Permission.MOVE_FUNDS):
        with st.expander("Add an address", icon=":material/person_pin_circle:"):
            _address_form()
    st.header("Caps of transfers by hand")
    _caps()
    if operator().can(Permission.MOVE_FUNDS):
        with st.expander("Set a cap", icon=":material/speed:"):
            _cap_form()


@live_fragment.fragment(Topic.REST, Topic.ALERTS)
def _approvals() -> None:
    """What waits for a second person, with its buttons, and what was decided."""
    with notices.show_errors():
        catalogue, caller = services().catalogue, operator()
        waiting = approvals.list_open(services(), caller)
        if waiting:
            rows = view.build_open_rows(catalogue, waiting)
            widget.table(rows, view.OPEN_COLUMNS, "approvals", "Waiting for a second person")
        else:
            st.markdown(
                "Nothing waits for a second person. "
                "What needs the approval of another person appears here."
            )
        for approval in waiting if caller.can(Permission.MOVE_FUNDS) else ():
            _decision(approval)
        if ended := approvals.list_ended(services(), caller, _SHOWN_ENDED):
            with st.expander("Decided before", icon=":material/history:"):
                rows = view.build_ended_rows(catalogue, ended)
                widget.table(rows, view.ENDED_COLUMNS, "past_approvals", "Decided before")


def _decision(approval: Approval) -> None:
    sentence = view.describe(services().catalogue, approval)
    own = approvals.actor_of(operator()).identity == approval.requested_by.identity
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(notices.escape_markdown(f"#{approval.id} {TITLES[approval.kind]}"))
        if own:
            st.caption("You asked for it: another person has to approve it.")
        elif st.button("Approve", key=f"approve_{approval.id}", icon=":material/check:"):
            work = partial(_approve, approval)
            confirm("Approve this?", sentence, "Approve and carry out", work)
        label = "Take back" if own else "Decline"
        if st.button(label, key=f"decline_{approval.id}", icon=":material/block:"):
            confirm_with_text(f"{label}?", sentence, "Reason", label, partial(_decline, approval))


@live_fragment.fragment(Topic.REST)
def _addresses() -> None:
    """Where money may be sent by hand."""
    with notices.show_errors():
        entries = address_book.list_addresses(services(), operator())
        st.caption(
            "Refunds to another address, and withdrawals, go to these addresses alone. "
            f"{address_book.describe_delay(services())}"
        )
        if not entries:
            st.markdown("The address book is empty. Treasurers add the first address below.")
            return
        rows = view.build_address_rows(services().catalogue, entries, services().clock.now())
        widget.table(rows, view.ADDRESS_COLUMNS, "address_book", "Address book")
        for entry in entries if operator().can(Permission.MOVE_FUNDS) else ():
            _removal(entry)


def _removal(entry: BookedAddress) -> None:
    name = f"{entry.name} on {chain_label(entry.chain)}"
    if st.button(f"Remove {name}", key=f"remove_{entry.id}", icon=":material/delete:"):
        confirm(
            f"Remove {name}?",
            f"Nothing is sent to {entry.address} by hand from now on.",
            "Remove",
            partial(_remove, entry),
        )


def _address_form() -> None:
    options = [chain.id for chain in usable_chains()]
    with st.form("add_address", border=False):
        chain = st.selectbox("Chain", options, format_func=chain_label)
        address = st.text_input("Address")
        name = st.text_input("Name", max_chars=address_book.MAX_NAME_CHARACTERS)
        added = st.form_submit_button("Add to the address book")
    if added:
        run_action(partial(_add, chain, address, name))


@live_fragment.fragment(Topic.REST)
def _caps() -> None:
    """The most that is sent by hand within 24 hours."""
    with notices.show_errors():
        caps = transfer_caps.list_caps(services(), operator())
        if not caps:
            st.markdown(
                "Transfers by hand have no cap. Payouts and refunds never have one. "
                "Treasurers set the first one below."
            )
            return
        rows = view.build_cap_rows(services().catalogue, caps)
        widget.table(rows, view.CAP_COLUMNS, "caps", "Caps of transfers by hand")


def _cap_form() -> None:
    options = [chain.id for chain in usable_chains()]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chain = st.selectbox("Chain", options, key="cap_chain", format_func=chain_label)
        symbol = st.selectbox("Token", list_symbols(services().catalogue, chain), key="cap_token")
        typed = st.text_input("Within 24 hours", key="cap_amount", placeholder="such as 50000")
        is_set = st.button("Set cap", icon=":material/speed:", key="cap_set")
        if st.button("No cap", icon=":material/close:", key="cap_drop"):
            run_action(partial(_drop_cap, chain, symbol))
    decimals = services().catalogue.tokens[chain, symbol].decimals
    was_shown = show_readings("cap", AmountInput("cap", typed, decimals, symbol))
    if is_set:
        run_as_shown(was_shown, partial(_set_cap, chain, symbol, typed))


def _approve(approval: Approval) -> str:
    approvals.approve(services(), operator(), approval.id, CARRY_OUT)
    return f"{TITLES[approval.kind]}: approved and carried out."


def _decline(approval: Approval, reason: str) -> str:
    approvals.decline(services(), operator(), approval.id, reason)
    return f"{TITLES[approval.kind]}: not carried out."


def _add(chain: str, address: str, name: str) -> str:
    if address_book.add_address(services(), operator(), chain, address, name):
        return f"{name} is added once another person has approved it."
    return f"{name} is in the address book. {address_book.describe_delay(services())}"


def _remove(entry: BookedAddress) -> str:
    address_book.remove_address(services(), operator(), entry.id)
    return f"{entry.name} is removed."


def _set_cap(chain: str, symbol: str, typed: str) -> str:
    decimals = services().catalogue.tokens[chain, symbol].decimals
    units = read_amount("cap", typed, decimals, symbol).units
    if transfer_caps.set_cap(services(), operator(), chain, symbol, units):
        return _CAP_WAITS
    most = format_amount(units, decimals, symbol)
    return f"At most {most} are sent by hand on {chain_label(chain)} in 24 hours."


def _drop_cap(chain: str, symbol: str) -> str:
    if transfer_caps.set_cap(services(), operator(), chain, symbol, None):
        return _CAP_WAITS
    return f"Transfers of {symbol} by hand on {chain_label(chain)} have no cap."
