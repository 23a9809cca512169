"""The treasury: what is short, the stock by chain, gas, claims, suggestions, targets."""

from functools import partial

import streamlit as st

from crossway.dashboard import live, money_charts
from crossway.dashboard.components import living, notices, widget
from crossway.dashboard.components.actions import perform
from crossway.dashboard.components.charting import chart, shade
from crossway.dashboard.components.filters import chain_label, usable_chains
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import treasury as view
from crossway.dashboard.views import treasury_open as under_way
from crossway.dashboard.views.figures import millis, symbols_on
from crossway.domain.money import parse_decimal
from crossway.domain.roles import Right
from crossway.usecases.money import exposure, rebalancing, treasury

FRESH_SECONDS = 5.0
_SUGGESTED_SECONDS = 30.0


def _inventory() -> treasury.Inventory:
    """Asked of the chains once for all who look."""
    who = operator()
    return live.shared(
        "inventory", lambda: treasury.inventory(services(), who), (), FRESH_SECONDS
    )  # fmt: skip


@living.part(every=FRESH_SECONDS)
def stock(testnets: bool) -> None:
    """What is short first, then the numbers, the picture and every stock."""
    with notices.in_words(), st.skeleton(height=480):
        found, catalogue = _inventory(), services().catalogue
        stocks = view.of_network(catalogue, found, testnets)
        _short(found, stocks)
        with st.grid(6, min_column_width=150, gap="small"):
            for figure in view.figures(catalogue, found, stocks):
                st.metric(
                    figure.label, figure.value, help=figure.help, border=True, height="stretch"
                )
        _picture(stocks)


def _short(found: treasury.Inventory, stocks: list[treasury.Stock]) -> None:
    catalogue = services().catalogue
    if words := view.silent(catalogue, found):
        st.warning(notices.as_text(words), icon=":material/cloud_off:")
    sentences = view.shortages(catalogue, found, stocks)
    if sentences:
        shown = "\n".join(f"* {notices.as_text(sentence)}" for sentence in sentences[:8])
        more = f"\n* and {len(sentences) - 8} more" if len(sentences) > 8 else ""
        st.error(f"**Running short**\n{shown}{more}", icon=":material/trending_down:")
    else:
        st.success("Nothing is short.", icon=":material/check_circle:")


def _picture(stocks: list[treasury.Stock]) -> None:
    catalogue, known = services().catalogue, view.symbols(stocks)
    st.header("Stock")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        symbol = st.selectbox(
            "Token", known, key="treasury_token", format_func=str, bind="query-params"
        )
        everything = st.toggle(
            "Every token in the table", key="treasury_all", help="Else those that were used lately"
        )
    bars = view.bars(catalogue, stocks, symbol)
    if bars:
        words = "; ".join(
            f"{bar.name}: {bar.free:,.0f} USD free, {bar.reserved:,.0f} reserved, "
            f"{bar.expected:,.0f} expected back, target {bar.target:,.0f}"
            for bar in bars
        )
        st.caption(f"{symbol}, worth in USD by chain.")
        height = 70 + 30 * len(bars)
        chart(money_charts.stock_bars(bars, shade()), height, "stock_bars", words)
    rows = view.rows(catalogue, stocks, None if everything else symbol, everything)
    widget.table(rows, view.STOCK_COLUMNS, "stock", "Stock by chain and token")


@living.part(every=FRESH_SECONDS)
def claims(testnets: bool) -> None:
    """What bridges owe, what is due first."""
    with notices.in_words():
        found, catalogue = _inventory(), services().catalogue
        shown = [c for c in found.claims if catalogue.chains[c.chain].testnet == testnets]
        prices = {(s.token.chain, s.token.address): s for s in found.stocks}
        rows = under_way.claim_rows(catalogue, shown, prices, millis(found.at))
        if not rows:
            st.markdown("No claim is open: bridges owe nothing now.")
            return
        if len(shown) > len(rows):
            st.caption(f"The first {len(rows):,} of {len(shown):,}, by when they are due.")
        widget.table(rows, under_way.CLAIM_COLUMNS, "claims", "Claims open with bridges")


@living.part(every=FRESH_SECONDS)
def gas(testnets: bool) -> None:
    """Coins for fees, and for how many transactions they last."""
    with notices.in_words():
        rows = under_way.gas_rows(services().catalogue, _inventory(), testnets)
        widget.table(rows, under_way.GAS_COLUMNS, "gas", "Gas by chain")


@living.part(every=_SUGGESTED_SECONDS)
def moves(testnets: bool) -> None:
    """What rebalancing would be needed, priced by the bridges."""
    with notices.in_words():
        catalogue, who = services().catalogue, operator()
        stocks = view.of_network(catalogue, _inventory(), testnets)
        found = rebalancing.suggestions(services(), who, stocks)
        if not found:
            st.markdown(
                "Nothing to move: every stock reaches its target, or nothing is spare elsewhere."
            )
            return
        st.caption("Suggestions: nothing here moves money. Costs are the bridges' quotes of now.")
        widget.table(
            under_way.move_rows(catalogue, found), under_way.MOVE_COLUMNS, "moves", "Rebalancing"
        )


@living.part(every=_SUGGESTED_SECONDS)
def exposed(testnets: bool) -> None:
    """What price moves could cost: payments whose terms hold while the prices do not."""
    with notices.in_words():
        catalogue, who = services().catalogue, operator()
        found = live.shared(
            "exposure", lambda: exposure.exposure(services(), who), fresh_seconds=FRESH_SECONDS
        )
        shown = [one for one in found if catalogue.chains[one.source_chain].testnet == testnets]
        if not shown:
            st.markdown("No payment is open: no terms hold while prices move.")
            return
        rows = under_way.exposure_rows(catalogue, shown)
        widget.table(rows, under_way.EXPOSURE_COLUMNS, "exposure", "Open payments by their tokens")


def targets() -> None:
    """Set how much of a token there shall be on a chain, or leave it to the flows."""
    if not operator().may(Right.TREASURE):
        st.markdown("Targets are set by a treasurer.")
        return
    known = [chain.id for chain in usable_chains()]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chain = st.selectbox("Chain", known, key="target_chain", format_func=chain_label)
        symbol = st.selectbox("Token", symbols_on(services().catalogue, chain), key="target_token")
        typed = st.text_input("Target", key="target_amount", placeholder="such as 50000")
        if st.button("Set this target", icon=":material/flag:", key="target_set"):
            perform(partial(_set, chain, symbol, typed))
        if st.button("Leave it to the flows", icon=":material/autorenew:", key="target_drop"):
            perform(partial(_drop, chain, symbol))


def _set(chain: str, symbol: str, typed: str) -> str:
    decimals = services().catalogue.tokens[chain, symbol].decimals
    units = parse_decimal("target", typed.strip().replace(",", ""), decimals)
    treasury.set_target(services(), operator(), chain, symbol, units)
    return f"The target of {symbol} on {chain_label(chain)} is {typed.strip()} {symbol}."


def _drop(chain: str, symbol: str) -> str:
    treasury.set_target(services(), operator(), chain, symbol, None)
    return f"The target of {symbol} on {chain_label(chain)} follows the payouts of the last days."
