"""Inputs for chains and tokens by their display names."""

from collections.abc import Callable, Sequence

import streamlit as st

from crossway.dashboard.session import operator, services
from crossway.dashboard.views.formatting import chain_name, list_symbols
from crossway.dashboard.views.quotes import list_destinations
from crossway.domain.catalogue import Chain
from crossway.domain.clients import Mode


def chain_label(chain: str) -> str:
    """A chain's display name, which also appears in the page's URL."""
    return chain_name(services().catalogue, chain)


def usable_chains() -> list[Chain]:
    """The configured chains of the selected mode."""
    return list_destinations(services(), testnets=operator().mode is Mode.TEST)


def chain_select(label: str, key: str) -> str | None:
    """One chain or all of them, kept in the page's URL."""
    options = [chain.id for chain in list_destinations(services(), testnets=True)]
    return st.selectbox(
        label,
        options,
        index=None,
        key=key,
        format_func=chain_label,
        placeholder="Any",
        bind="query-params",
    )


def chain_choice(label: str, key: str, first: str, help: str | None = None) -> str:
    """One chain, kept in the page's URL."""
    options = [chain.id for chain in usable_chains()]
    return st.selectbox(
        label,
        options,
        index=options.index(first) if first in options else 0,
        key=key,
        format_func=chain_label,
        bind="query-params",
        help=help,
    )


def token_choice(
    label: str, key: str, chain: str, list_symbols_of: Callable[[str], Sequence[str]] | None = None
) -> str:
    """One token of a chain, USDC first, kept in the page's URL."""
    options = list_symbols(services().catalogue, chain)
    if list_symbols_of is not None:
        options = list(list_symbols_of(chain))
    if st.session_state.get(key) not in (None, *options):
        del st.session_state[key]
    return st.selectbox(label, options, key=key, bind="query-params")
