"""The Simulator page: clock, faults, deposits and balances."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import notices, widget
from crossway.dashboard.components.actions import once_key, run_action, run_once
from crossway.dashboard.components.asset_inputs import token_choice
from crossway.dashboard.components.permissions import can_work, requires
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import simulator
from crossway.dashboard.views.formatting import chain_name, format_duration
from crossway.dashboard.views.quotes import list_destinations
from crossway.domain.roles import Permission
from crossway.usecases.simulator import chain_controls

_STEPS = (60, 600, 3_600, 86_400)
_SAID = {True: "The clock is running.", False: "The clock is frozen."}


def _chains() -> list[str]:
    return [chain.id for chain in list_destinations(services(), testnets=True)]


def _chain_name(chain: str) -> str:
    return chain_name(services().catalogue, chain)


def active_faults() -> None:
    """Everything that differs from normal, and the button that resets it."""
    _show_active_faults()
    if can_work() and st.button("Reset all", icon=":material/healing:", key="all_normal"):
        reset_all_faults()


@st.fragment(run_every=2.0)
def _show_active_faults() -> None:
    with notices.show_errors():
        unusual = simulator.list_active_changes(services(), operator())
        if unusual:
            widget.details(unusual, "unusual", "Active faults")
        else:
            st.markdown(":material/check_circle: No faults. The clock matches the system clock.")


def _reset_all() -> str:
    count = chain_controls.reset_faults(services(), operator())
    return f"{count} change{'' if count == 1 else 's'} reset." if count else ("Nothing to reset.")


@st.fragment(run_every=1.0)
def _clock_face() -> None:
    with notices.show_errors():
        face = simulator.read_clock(services())
        if face is not None:
            widget.details(simulator.build_clock_details(face), "clock_face", "Clock")


@requires(Permission.OPERATE)
def clock() -> None:
    """The simulated clock, live: stop, start and advance it."""
    _clock_face()
    face = simulator.read_clock(services())
    frozen = face is not None and face.frozen
    with st.container(horizontal=True, gap="small"):
        label = "Resume the clock" if frozen else "Freeze the clock"
        if st.button(label, icon=":material/play_arrow:" if frozen else ":material/pause:"):
            toggle_clock()
        for seconds in _STEPS:
            if st.button(
                f"Forward {format_duration(seconds).replace(' 0 min', '').replace(' 0 h', '')}"
            ):
                message = f"The clock was moved forward by {format_duration(seconds)}."
                run_action(partial(_set_clock, message, None, seconds))


def toggle_clock() -> None:
    """Freeze the simulated clock, or let a frozen one run."""
    face = simulator.read_clock(services())
    frozen = face is not None and face.frozen
    run_action(partial(_set_clock, _SAID[frozen], not frozen))


def reset_all_faults() -> None:
    """Let everything be normal again."""
    run_action(_reset_all)


def _set_clock(message: str, frozen: bool | None, seconds: float | None = None) -> str:
    chain_controls.set_clock(services(), operator(), advance_seconds=seconds, frozen=frozen)
    return message


@requires(Permission.OPERATE)
def faults() -> None:
    """Choose a chain, see its active faults, and inject one."""
    chain = st.selectbox("Chain", _chains(), key="fault_chain", format_func=_chain_name)
    _show_chain_faults(chain)
    kind = st.selectbox(
        "Fault",
        list(simulator.FAULT_LABELS),
        key="fault",
        format_func=simulator.FAULT_LABELS.__getitem__,
    )
    typed = _fault_field(kind)
    if st.button("Apply this fault", icon=":material/bolt:"):
        run_action(lambda: _inject_fault(chain, kind, typed))
    with st.expander("Set the relayer's balance", icon=":material/account_balance_wallet:"):
        symbol = token_choice("Token", "relayer_token", chain)
        amount = st.text_input("Amount", "0", key="relayer_amount")
        if st.button(f"Set the relayer's {symbol}"):
            run_action(lambda: _set_relayer_balance(chain, symbol, amount))


def _fault_field(kind: str) -> str:
    if kind == "lie":
        return st.selectbox("Node", list(simulator.NODE_BEHAVIOURS.values()), key="fault_lie")
    if kind in ("refuse", "accept"):
        return st.text_input("Addresses, separated by commas", key="fault_addresses")
    if kind == "takeNonce":
        return ""
    return st.text_input("Number", "3", key="fault_number", help="0 clears the fault.")


@st.fragment(run_every=1.0)
def _show_chain_faults(chain: str) -> None:
    with notices.show_errors():
        active = simulator.list_faults(services(), chain)
        if active:
            widget.details(active, "active_faults", "Active faults")
        else:
            st.markdown(f"{_chain_name(chain)}: no faults.")


def _inject_fault(chain: str, kind: str, typed: str) -> str:
    chain_controls.inject_faults(
        services(), operator(), chain, simulator.build_fault_body(kind, typed)
    )
    return f"{_chain_name(chain)}: {simulator.FAULT_LABELS[kind].replace('…', typed)}."


def _set_relayer_balance(chain: str, symbol: str, typed: str) -> str:
    body = simulator.build_relayer_balance(services(), chain, symbol, typed)
    chain_controls.inject_faults(services(), operator(), chain, body)
    return f"The relayer's balance is {typed} {symbol} on {_chain_name(chain)} now."


@requires(Permission.OPERATE)
def deposit() -> None:
    """Send simulated tokens to any address."""
    address = st.text_input("To address", key="deposit_to", placeholder="A payment's address")
    amounts = ["exact", "short", "over", "another amount"]
    amount = st.segmented_control(
        "Amount",
        amounts,
        key="deposit_amount",
        default="exact",
        required=True,
        help="exact, short and over are relative to the amount due at this address",
    )
    chain = token = typed = None
    if amount == amounts[-1]:
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            typed = st.text_input("Amount to send", "10", key="deposit_typed")
            chain = st.selectbox(
                "On chain", _chains(), key="deposit_chain", format_func=_chain_name
            )
            token = token_choice("Token", "deposit_token", chain)
    count = st.number_input("Times", 1, 1000, 1, key="deposit_count")
    key = once_key("send_tokens")
    if st.button("Send simulated tokens", icon=":material/payments:", type="primary", key=key):
        run_once("send_tokens", lambda: _deposit(address, amount, chain, token, typed, int(count)))


def _deposit(
    address: str, amount: str, chain: str | None, token: str | None, typed: str | None, count: int
) -> str:
    units = amount
    if chain and token and typed is not None:
        units = simulator.parse_units(services(), chain, token, typed)
    sent = chain_controls.send_deposit(
        services(), operator(), address.strip(), units, token, chain, count
    )
    return f"Sent in block {sent.block:,} of {_chain_name(sent.chain)}."


def balances() -> None:
    """The balances of an address on every simulated chain."""
    address = st.text_input("Address", key="holdings_of")
    if not address.strip():
        st.markdown("Enter an address to see its balances.")
        return
    with notices.show_errors():
        holdings = chain_controls.get_balances(services(), operator(), address.strip())
        if not holdings:
            st.markdown("This address has no balance on any simulated chain.")
            return
        rows = simulator.build_holding_rows(services(), holdings)
        widget.table(rows, simulator.HOLDING_COLUMNS, "holdings", "Balances")
