"""Choices of chains and tokens, by their names."""

from collections.abc import Callable, Sequence

import streamlit as st

from crossway.dashboard.session import operator, services
from crossway.dashboard.views.figures import chain_name, symbols_on
from crossway.dashboard.views.quotes import destinations
from crossway.domain.catalogue import Chain
from crossway.domain.clients import Mode


def chain_label(chain: str) -> str:
    """A chain's name, which is also how the address of a page names it."""
    return chain_name(services().catalogue, chain)


def usable_chains() -> list[Chain]:
    """The configured chains that the chosen mode may use."""
    return destinations(services(), testnets=operator().mode is Mode.TEST)


def chain_select(label: str, key: str) -> str | None:
    """One chain or all of them, kept in the address of the page."""
    known = [chain.id for chain in destinations(services(), testnets=True)]
    return st.selectbox(
        label, known, index=None, key=key, format_func=chain_label, placeholder="Any",
        bind="query-params",
    )  # fmt: skip


def chain_choice(label: str, key: str, first: str, help: str | None = None) -> str:
    """One chain, kept in the address of the page."""
    known = [chain.id for chain in usable_chains()]
    return st.selectbox(
        label, known, index=known.index(first) if first in known else 0, key=key,
        format_func=chain_label, bind="query-params", help=help,
    )  # fmt: skip


def token_choice(
    label: str, key: str, chain: str, also: Callable[[str], Sequence[str]] | None = None
) -> str:
    """One token of a chain, USDC first, kept in the address of the page."""
    known = symbols_on(services().catalogue, chain)
    if also is not None:
        known = list(also(chain))
    if st.session_state.get(key) not in (None, *known):
        del st.session_state[key]
    return st.selectbox(label, known, key=key, bind="query-params")
