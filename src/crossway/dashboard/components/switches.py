"""Switching chains and routes off, with a reason, and on again."""

from functools import partial

import streamlit as st

from crossway.dashboard.components.actions import confirm, perform
from crossway.dashboard.components.filters import usable_chains
from crossway.dashboard.components.notices import as_text, in_words
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import routes
from crossway.dashboard.views.figures import chain_name
from crossway.domain.quotes import BridgeName
from crossway.usecases.switches import switch

_OFF = "New payments are refused at once. Payments that exist go on to their end."


def listed(kind: str = "") -> None:
    """What is switched off, each with its reason and the button that ends it."""
    with in_words():
        off = {s: why for s, why in routes.closed(services()).items() if s.startswith(kind)}
        if not off:
            st.markdown("Nothing is switched off.")
        for subject, reason in sorted(off.items()):
            words = routes.subject_words(services().catalogue, subject)
            with st.container(horizontal=True, vertical_alignment="center", border=True):
                st.markdown(f"**{as_text(words)}**  \n{as_text(reason)}")
                if st.button("Switch on again", key=f"on_{subject}", icon=":material/power:"):
                    perform(partial(_set, subject, words, False, ""))


def chain_off() -> None:
    """Choose a chain, say why, switch it off."""
    known = [chain.id for chain in usable_chains()]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chain = st.selectbox("Chain", known, key="off_chain", format_func=_name)
        reason = st.text_input("Reason", key="off_chain_reason")
        if st.button("Switch this chain off", icon=":material/power_off:"):
            _ask(f"chain:{chain}", _name(chain), reason)


def route_off() -> None:
    """Choose a bridge and a pair of chains, say why, switch that route off."""
    known = [chain.id for chain in usable_chains()]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        bridge = st.selectbox("Bridge", list(BridgeName), key="off_bridge")
        source = st.selectbox("From", known, key="off_from", format_func=_name)
        to = st.selectbox("To", known, index=1, key="off_to", format_func=_name)
        reason = st.text_input("Reason", key="off_route_reason")
        if st.button("Switch this route off", icon=":material/power_off:"):
            subject = f"route:{bridge}:{source}:{to}"
            _ask(subject, routes.subject_words(services().catalogue, subject), reason)


def _name(chain: str) -> str:
    return chain_name(services().catalogue, chain)


def _ask(subject: str, words: str, reason: str) -> None:
    if not reason.strip():
        st.error("Say why first: the reason is shown to everybody who asks.")
        return
    confirm(f"Switch off {words}?", _OFF, "Switch off", lambda: _set(subject, words, True, reason))


def _set(subject: str, words: str, off: bool, reason: str) -> str:
    switch(services(), operator(), subject, off, reason)
    return f"{words} is switched {'off' if off else 'on'}."
