"""Switching chains, bridges and routes off, with a reason, and on again; who did it, and when."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.components.actions import confirm, confirm_with_text
from crossway.dashboard.components.filters import usable_chains
from crossway.dashboard.components.notices import as_text, in_words
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import routes
from crossway.dashboard.views.cells import Column
from crossway.dashboard.views.figures import chain_name
from crossway.domain.quotes import BridgeName, bridge_title
from crossway.domain.roles import Right
from crossway.ports.records import SwitchedOff
from crossway.usecases.network.switches import switch
from crossway.usecases.pricing import corridors

_OFF = "New payments are refused at once. Payments that exist go on to their end."
_ON = "New payments can use it at once."
_WHY = "Reason, which everybody who asks is shown"
COLUMNS = (Column("What"), Column("Why"), Column("By"), Column("Since"))


def listed(kind: str = "") -> None:
    """What is switched off: why, by whom, since when, and the button that ends it."""
    with in_words():
        off = [one for one in known() if one.subject.startswith(kind)]
        if not off:
            st.markdown("Nothing is switched off.")
            return
        rows = routes.off_rows(services().catalogue, off)
        widget.table(rows, COLUMNS, f"off_{kind.strip(':') or 'all'}", "Switched off")
        for one in off if operator().may(Right.SWITCH) else ():
            words = routes.subject_words(services().catalogue, one.subject)
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"{as_text(words)}: {as_text(one.reason)}")
                if st.button("Switch on again", key=f"on_{one.subject}", icon=":material/power:"):
                    _ask_on(one.subject, words)


def known() -> list[SwitchedOff]:
    """Everything that is switched off."""
    return corridors.closed(services(), operator())


def one(subject: str, words: str, off: Sequence[SwitchedOff]) -> None:
    """The switch of one route, bridge or chain."""
    if not operator().may(Right.SWITCH):
        return
    if any(closed.subject == subject for closed in off):
        if st.button("Switch on again", key=f"one_on_{subject}", icon=":material/power:"):
            _ask_on(subject, words)
    elif st.button("Switch off", key=f"one_off_{subject}", icon=":material/power_off:"):
        _ask_off(subject, words)


def chain_off() -> None:
    """Choose a chain, switch it off."""
    if not operator().may(Right.SWITCH):
        st.markdown("Chains are switched by an operator.")
        return
    usable = [chain.id for chain in usable_chains()]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chain = st.selectbox("Chain", usable, key="off_chain", format_func=_name)
        if st.button("Switch this chain off", icon=":material/power_off:"):
            _ask_off(f"chain:{chain}", _name(chain))


def bridge_off() -> None:
    """Choose a bridge, switch all of it off."""
    if not operator().may(Right.SWITCH):
        st.markdown("Bridges and routes are switched by an operator.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        names = list(BridgeName)
        bridge = st.selectbox("Bridge", names, format_func=bridge_title, key="off_bridge")
        if bridge and st.button("Switch this bridge off", icon=":material/power_off:"):
            _ask_off(f"bridge:{bridge}", f"Bridge {bridge_title(bridge)}")


def _name(chain: str) -> str:
    return chain_name(services().catalogue, chain)


def _ask_off(subject: str, words: str) -> None:
    work = partial(_off, subject, words)
    confirm_with_text(f"Switch off {words}?", _OFF, _WHY, "Switch off", work)


def _ask_on(subject: str, words: str) -> None:
    confirm(f"Switch on {words}?", _ON, "Switch on", partial(_on, subject, words))


def _off(subject: str, words: str, reason: str) -> str:
    switch(services(), operator(), subject, True, reason)
    return f"{words} is switched off."


def _on(subject: str, words: str) -> str:
    switch(services(), operator(), subject, False, "")
    return f"{words} is switched on."
