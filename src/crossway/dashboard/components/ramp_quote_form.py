"""The inputs of a ramp quote, kept in the page's URL."""

from collections.abc import Sequence

import streamlit as st

from crossway.dashboard.components import listing
from crossway.dashboard.components.asset_inputs import chain_choice, token_choice, usable_chains
from crossway.dashboard.session import services
from crossway.dashboard.views import fiat, ramp_quotes
from crossway.dashboard.views.links import PREFILL_PREFIX
from crossway.domain.ramps import Direction

_LINKED = ("type", "currency", "country", "provider", "chain", "symbol", "amount")
_STARTS = "start_values"


def apply_link_values() -> None:
    """Set the initial values that a link names by code; call it before drawing any field.

    Streamlit keeps a field in the page's URL by its label. When a page is left, it removes its
    fields' names from the next URL, and when a page is opened by a link, it takes values from the
    URL alone. So our links name their values `start_…`, and one more rerun sets them.
    """
    values = {name: st.query_params.pop(f"{PREFILL_PREFIX}{name}", None) for name in _LINKED}
    if any(values.values()):
        st.session_state[_STARTS] = values
        st.rerun()
    labels = _labels()
    for name, value in st.session_state.pop(_STARTS, {}).items():
        if value and value in labels.get(name, (value,)):
            st.query_params[name] = labels[name][value] if name in labels else value
            st.session_state[name] = value


def _labels() -> dict[str, dict[str, str]]:
    """The label of each value of a field."""
    all_services = services()
    return {
        "type": dict(ramp_quotes.DIRECTIONS),
        "currency": {
            c.code: fiat.currency_name(c) for c in fiat.list_currencies(all_services.fiat)
        },
        "country": {
            code: fiat.country_name(all_services.fiat, code) for code in all_services.fiat.countries
        },
        "provider": {
            provider.name.value: provider.capabilities.title for provider in all_services.ramps
        },
        "chain": {chain.id: chain.name for chain in usable_chains()},
    }


def direction_choice() -> str:
    """On-ramp or off-ramp."""
    return st.segmented_control(
        "Direction",
        list(ramp_quotes.DIRECTIONS),
        key="type",
        default=Direction.ON.value,
        format_func=ramp_quotes.DIRECTIONS.__getitem__,
        required=True,
        bind="query-params",
        label_visibility="collapsed",
    )


def corridor_choice() -> tuple[str, str]:
    """A currency, and one of its countries if it has several."""
    catalogue = services().fiat
    codes = [currency.code for currency in fiat.list_currencies(catalogue)]
    left, right = st.columns([3, 2], gap="small")
    code = left.selectbox(
        "Currency",
        codes,
        index=codes.index("NGN") if "NGN" in codes else 0,
        key="currency",
        format_func=lambda c: fiat.currency_name(catalogue.corridors[c].currency),
        bind="query-params",
    )
    countries = catalogue.corridors[code].countries
    if st.session_state.get("country") not in (None, *countries):
        del st.session_state["country"]
    country = right.selectbox(
        "Country",
        countries,
        key="country",
        disabled=len(countries) == 1,
        format_func=lambda c: fiat.country_name(catalogue, c),
        bind="query-params",
    )
    return code, country


def crypto_choice(on: bool) -> tuple[str, str, str]:
    """Amount, token and chain of the customer's crypto."""
    first, second, third = st.columns([2, 2, 3], gap="small")
    # The chain is drawn first, as it determines the tokens.
    with third:
        chain = chain_choice("On chain" if on else "From chain", "chain", "BASE_MAINNET")
    with second:
        symbol = token_choice("Token", "symbol", chain)
    amount = first.text_input(
        "Customer gets" if on else "Customer sells", "25", key="amount", bind="query-params"
    )
    return amount, symbol, chain


def quote_inputs() -> ramp_quotes.QuoteForm:
    """All inputs of the form."""
    direction = direction_choice()
    left, right = st.columns([3, 4], gap="medium")
    with left:
        code, country = corridor_choice()
    with right:
        amount, symbol, chain = crypto_choice(direction == Direction.ON)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        email = st.text_input(
            "Customer's e-mail (optional)",
            key="email",
            width=280,
            autocomplete="off",
            persist_state="session",
            help="Marks providers whose identity check this customer has passed.",
        )
        direct = st.toggle("No redirect only", key="direct")
    return ramp_quotes.QuoteForm(direction, code, country, amount, symbol, chain, email, direct)


def order_filters(names: Sequence[str]) -> None:
    """Filters of the orders list: direction, provider and currency, kept in the URL."""
    providers = {provider.name.value: provider.capabilities.title for provider in services().ramps}
    listing.select_filter("Direction", "type", [provider.value for provider in Direction], names)
    listing.select_filter("Provider", "provider", list(providers), names, providers.__getitem__)
    codes = [currency.code for currency in fiat.list_currencies(services().fiat)]
    listing.select_filter("Currency", "currency", codes, names)
