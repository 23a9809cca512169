"""The simulator's screen in its parts: clock, faults, deposits, balances."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import notices, widget
from crossway.dashboard.components.actions import perform
from crossway.dashboard.components.filters import token_choice
from crossway.dashboard.components.rights import needing, works
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import simulator
from crossway.dashboard.views.figures import chain_name, duration
from crossway.dashboard.views.quotes import destinations
from crossway.domain.roles import Right
from crossway.usecases.network import sandbox

_STEPS = (60, 600, 3_600, 86_400)
_SAID = {True: "The clock runs.", False: "The clock stands."}


def _chains() -> list[str]:
    return [chain.id for chain in destinations(services(), testnets=True)]


def _name(chain: str) -> str:
    return chain_name(services().catalogue, chain)


def now() -> None:
    """Everything that is not as usual, on one line each, and the way back to normal."""
    _now()
    if works() and st.button("All back to normal", icon=":material/healing:", key="all_normal"):
        perform(_normal)


@st.fragment(run_every=2.0)
def _now() -> None:
    with notices.in_words():
        unusual = simulator.unusual(services())
        if unusual:
            widget.facts(unusual, "unusual", "What is not as usual")
        else:
            st.markdown(
                ":material/check_circle: The clock runs as the machine's, and every chain behaves "
                "well."
            )


def _normal() -> str:
    count = sandbox.normal(services(), operator())
    return (
        f"{count} thing{'' if count == 1 else 's'} put back to normal."
        if count
        else ("Everything was as usual already.")
    )


@st.fragment(run_every=1.0)
def _clock_face() -> None:
    with notices.in_words():
        face = simulator.clock(services())
        if face is not None:
            widget.facts(simulator.clock_facts(face), "clock_face", "Clock")


@needing(Right.WORK)
def clock() -> None:
    """The clock, live; freeze it, let it run, move it forward."""
    _clock_face()
    face = simulator.clock(services())
    frozen = face is not None and face.frozen
    with st.container(horizontal=True, gap="small"):
        label = "Let the clock run" if frozen else "Freeze the clock"
        if st.button(label, icon=":material/play_arrow:" if frozen else ":material/pause:"):
            perform(partial(_clock, _SAID[frozen], not frozen))
        for seconds in _STEPS:
            if st.button(f"Forward {duration(seconds).replace(' 0 min', '').replace(' 0 h', '')}"):
                words = f"The clock was moved forward by {duration(seconds)}."
                perform(partial(_clock, words, None, seconds))


def _clock(words: str, frozen: bool | None, seconds: float | None = None) -> str:
    sandbox.clock(services(), operator(), advance_seconds=seconds, frozen=frozen)
    return words


@needing(Right.WORK)
def faults() -> None:
    """Choose a chain, see its faults, add one."""
    chain = st.selectbox("Chain", _chains(), key="fault_chain", format_func=_name)
    _active(chain)
    kind = st.selectbox(
        "Fault", list(simulator.FAULTS), key="fault", format_func=simulator.FAULTS.__getitem__
    )
    typed = _fault_field(kind)
    if st.button("Apply this fault", icon=":material/bolt:"):
        perform(lambda: _misbehave(chain, kind, typed))
    with st.expander("Set what the relayer owns", icon=":material/account_balance_wallet:"):
        symbol = token_choice("Token", "relayer_token", chain)
        amount = st.text_input("Amount", "0", key="relayer_amount")
        if st.button(f"Set the relayer's {symbol}"):
            perform(lambda: _stock(chain, symbol, amount))


def _fault_field(kind: str) -> str:
    if kind == "lie":
        return st.selectbox("The node", list(simulator.LIES.values()), key="fault_lie")
    if kind in ("refuse", "accept"):
        return st.text_input("Addresses, separated by commas", key="fault_addresses")
    if kind == "takeNonce":
        return ""
    return st.text_input("Number", "3", key="fault_number", help="0 ends the fault.")


@st.fragment(run_every=1.0)
def _active(chain: str) -> None:
    with notices.in_words():
        active = simulator.faults(services(), chain)
        if active:
            widget.facts(active, "active_faults", "Active faults")
        else:
            st.markdown(f"{_name(chain)} behaves well.")


def _misbehave(chain: str, kind: str, typed: str) -> str:
    sandbox.faults(services(), operator(), chain, simulator.fault_body(kind, typed))
    return f"{_name(chain)}: {simulator.FAULTS[kind].replace('…', typed)}."


def _stock(chain: str, symbol: str, typed: str) -> str:
    body = simulator.relayer_balance(services(), chain, symbol, typed)
    sandbox.faults(services(), operator(), chain, body)
    return f"The relayer owns {typed} {symbol} on {_name(chain)} now."


@needing(Right.WORK)
def deposit() -> None:
    """Send simulated tokens to any address."""
    address = st.text_input("To address", key="deposit_to", placeholder="A payment's address")
    amounts = ["exact", "short", "over", "another amount"]
    amount = st.segmented_control(
        "Amount", amounts, key="deposit_amount", default="exact", required=True,
        help="exact, short and over follow the payment that has this address",
    )  # fmt: skip
    chain = token = typed = None
    if amount == amounts[-1]:
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            typed = st.text_input("Amount to send", "10", key="deposit_typed")
            chain = st.selectbox("On chain", _chains(), key="deposit_chain", format_func=_name)
            token = token_choice("Token", "deposit_token", chain)
    count = st.number_input("Times", 1, 1000, 1, key="deposit_count")
    if st.button("Send simulated tokens", icon=":material/payments:", type="primary"):
        perform(lambda: _deposit(address, amount, chain, token, typed, int(count)))


def _deposit(
    address: str, amount: str, chain: str | None, token: str | None, typed: str | None, count: int
) -> str:
    units = amount
    if chain and token and typed is not None:
        units = simulator.units_of(services(), chain, token, typed)
    sent = sandbox.deposit(services(), operator(), address.strip(), units, token, chain, count)
    return f"Sent in block {sent.block:,} of {_name(sent.chain)}."


def holdings() -> None:
    """What an address holds on every simulated chain."""
    address = st.text_input("Address", key="holdings_of")
    if not address.strip():
        st.markdown("Type an address to see what it holds.")
        return
    with notices.in_words():
        held = sandbox.balances(services(), operator(), address.strip())
        if not held:
            st.markdown("This address holds nothing on any simulated chain.")
            return
        rows = simulator.holdings(services(), held)
        widget.table(rows, simulator.HOLDING_COLUMNS, "holdings", "Holdings")
