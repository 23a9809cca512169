"""The questions of a ramp quote as fields that are kept in the address of the page."""

from collections.abc import Sequence

import streamlit as st

from crossway.dashboard.components import listing
from crossway.dashboard.components.filters import chain_choice, token_choice, usable_chains
from crossway.dashboard.session import services
from crossway.dashboard.views import fiat, ramp_quotes
from crossway.dashboard.views.links import START
from crossway.domain.ramps import Direction

_LINKED = ("type", "currency", "country", "provider", "chain", "symbol", "amount")
_STARTS = "start_values"


def take_link() -> None:
    """Let the fields start from what a link names by its code; call it before any field.

    Streamlit keeps a field in the address of a page by its label. When a page is left it takes its
    fields' names away from the next address, and when a page is come to by a link it takes values
    from the address alone. So our links name their values `start_…`, and one more run sets them.
    """
    given = {name: st.query_params.pop(f"{START}{name}", None) for name in _LINKED}
    if any(given.values()):
        st.session_state[_STARTS] = given
        st.rerun()
    labels = _labels()
    for name, value in st.session_state.pop(_STARTS, {}).items():
        if value and value in labels.get(name, (value,)):
            st.query_params[name] = labels[name][value] if name in labels else value
            st.session_state[name] = value


def _labels() -> dict[str, dict[str, str]]:
    """What the fields call each of their values."""
    known = services()
    return {
        "type": dict(ramp_quotes.DIRECTIONS),
        "currency": {c.code: fiat.currency_name(c) for c in fiat.currencies(known.fiat)},
        "country": {code: fiat.country_name(known.fiat, code) for code in known.fiat.countries},
        "provider": {one.name.value: one.capabilities.title for one in known.ramps},
        "chain": {chain.id: chain.name for chain in usable_chains()},
    }


def direction_choice() -> str:
    """Which way the money goes."""
    return st.segmented_control(
        "Direction", list(ramp_quotes.DIRECTIONS), key="type", default=Direction.ON.value,
        format_func=ramp_quotes.DIRECTIONS.__getitem__, required=True, bind="query-params",
        label_visibility="collapsed",
    )  # fmt: skip


def corridor_choice() -> tuple[str, str]:
    """A currency, and one of its countries where it has several."""
    known = services().fiat
    codes = [currency.code for currency in fiat.currencies(known)]
    left, right = st.columns([3, 2], gap="small")
    code = left.selectbox(
        "Currency", codes, index=codes.index("NGN") if "NGN" in codes else 0, key="currency",
        format_func=lambda c: fiat.currency_name(known.corridors[c].currency),
        bind="query-params",
    )  # fmt: skip
    countries = known.corridors[code].countries
    if st.session_state.get("country") not in (None, *countries):
        del st.session_state["country"]
    country = right.selectbox(
        "Country", countries, key="country", disabled=len(countries) == 1,
        format_func=lambda c: fiat.country_name(known, c), bind="query-params",
    )  # fmt: skip
    return code, country


def crypto_choice(on: bool) -> tuple[str, str, str]:
    """Amount, token and chain of the user's crypto."""
    first, second, third = st.columns([2, 2, 3], gap="small")
    # The chain is drawn first: the tokens to choose from are those of the chain.
    with third:
        chain = chain_choice("On chain" if on else "From chain", "chain", "BASE_MAINNET")
    with second:
        symbol = token_choice("Token", "symbol", chain)
    amount = first.text_input(
        "User gets" if on else "User sells", "25", key="amount", bind="query-params"
    )
    return amount, symbol, chain


def asked() -> ramp_quotes.Asked:
    """Every question of the form."""
    direction = direction_choice()
    left, right = st.columns([3, 4], gap="medium")
    with left:
        code, country = corridor_choice()
    with right:
        amount, symbol, chain = crypto_choice(direction == Direction.ON)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        email = st.text_input(
            "User's e-mail (optional)", key="email", width=280, autocomplete="off",
            persist_state="session",
            help="Marks providers whose identity check this user has passed.",
        )  # fmt: skip
        direct = st.toggle("Only without leaving for a provider's page", key="direct")
    return ramp_quotes.Asked(direction, code, country, amount, symbol, chain, email, direct)


def order_filters(names: Sequence[str]) -> None:
    """Direction, provider and currency of a list of orders, each or all, kept in its address."""
    known = {one.name.value: one.capabilities.title for one in services().ramps}
    listing.choice("Direction", "type", [one.value for one in Direction], names)
    listing.choice("Provider", "provider", list(known), names, known.__getitem__)
    codes = [currency.code for currency in fiat.currencies(services().fiat)]
    listing.choice("Currency", "currency", codes, names)
