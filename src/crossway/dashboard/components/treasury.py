"""The treasury: shortages, inventory, gas, claims, rebalancing and targets."""

from contextlib import suppress
from functools import partial

import streamlit as st

from crossway.dashboard import push, treasury_charts
from crossway.dashboard.components import live_fragment, notices, widget
from crossway.dashboard.components.actions import run_action
from crossway.dashboard.components.amount_reading import (
    AmountInput,
    run_as_shown,
    show_readings,
)
from crossway.dashboard.components.asset_inputs import chain_label, usable_chains
from crossway.dashboard.components.charting import chart, theme_shade
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import inventory_transfers
from crossway.dashboard.views import treasury as view
from crossway.dashboard.views import treasury_details as under_way
from crossway.dashboard.views.formatting import format_amount, list_symbols, to_millis
from crossway.dashboard.views.unified_position import build_unified_positions
from crossway.domain.errors import Unreachable
from crossway.domain.roles import Permission
from crossway.domain.typed_amounts import read_amount
from crossway.usecases.money import inventory, price_exposure, unified_balance
from crossway.usecases.money.rebalancing_policies import list_policies
from crossway.usecases.payments.return_budgets import list_budgets
from crossway.usecases.pricing import exposure_limit

FRESH_SECONDS = 5.0
_SUGGESTED_SECONDS = 30.0


def inventory_now() -> inventory.Inventory:
    """The inventory, queried from the chains once for all sessions."""
    principal = operator()
    return push.cached(
        "inventory", lambda: inventory.get_inventory(services(), principal), (), FRESH_SECONDS
    )


@live_fragment.fragment(refresh_seconds=FRESH_SECONDS)
def inventory_overview(testnets: bool) -> None:
    """Shortages first, then figures, the chart and all inventory."""
    with notices.show_errors(), st.skeleton(height=480):
        moves, catalogue = inventory_now(), services().catalogue
        stocks = view.filter_stocks(catalogue, moves, testnets)
        _shortages(moves, stocks)
        with st.grid(4, min_column_width=150, gap="small"):
            for figure in view.build_kpis(catalogue, moves, stocks):
                st.metric(
                    figure.label, figure.value, help=figure.help, border=True, height="stretch"
                )
        _inventory_chart(stocks + _unified_positions(stocks, testnets))


def _unified_positions(
    stocks: list[inventory.InventoryPosition], testnets: bool
) -> list[inventory.InventoryPosition]:
    """The unified balance beside the chains; none while Circle does not answer."""
    principal = operator()
    with suppress(Unreachable):
        policies = {p.location: p for p in list_policies(services(), principal)}
        return build_unified_positions(_unified_balances(), policies, stocks, testnets)
    return []


def _unified_balances() -> list[unified_balance.UnifiedBalance]:
    principal = operator()
    return push.cached(
        "unified",
        lambda: unified_balance.list_unified_balances(services(), principal),
        (),
        _SUGGESTED_SECONDS,
    )


def _shortages(moves: inventory.Inventory, stocks: list[inventory.InventoryPosition]) -> None:
    catalogue = services().catalogue
    if text := view.describe_unavailable(catalogue, moves):
        st.warning(notices.escape_markdown(text), icon=":material/cloud_off:")
    sentences = view.list_shortages(catalogue, moves, stocks)
    if sentences:
        bullets = "\n".join(f"* {notices.escape_markdown(sentence)}" for sentence in sentences[:8])
        more = f"\n* and {len(sentences) - 8} more" if len(sentences) > 8 else ""
        st.error(f"**Needs attention**\n{bullets}{more}", icon=":material/trending_down:")
    else:
        known = "No shortages on the chains that respond." if moves.unavailable else "No shortages."
        st.success(known, icon=":material/check_circle:")


def _inventory_chart(stocks: list[inventory.InventoryPosition]) -> None:
    catalogue, options = services().catalogue, view.list_inventory_symbols(stocks)
    st.header("Inventory")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        symbol = st.selectbox(
            "Token", options, key="treasury_token", format_func=str, bind="query-params"
        )
        everything = st.toggle(
            "All tokens in the table", key="treasury_all", help="Otherwise only recently used ones"
        )
    bars = view.build_bars(catalogue, stocks, symbol)
    if bars:
        text = "; ".join(
            f"{bar.name}: {bar.available:,.0f} USD available, {bar.reserved:,.0f} reserved, "
            f"{bar.expected:,.0f} expected, target {bar.target:,.0f}"
            for bar in bars
        )
        st.caption(view.describe_bars(symbol, bars))
        height = treasury_charts.chart_height(bars)
        chart(treasury_charts.inventory_bars(bars, theme_shade()), height, "stock_bars", text)
    rows = view.build_rows(catalogue, stocks, None if everything else symbol, everything)
    widget.table(rows, view.INVENTORY_COLUMNS, "stock", "Inventory by chain and token")


@live_fragment.fragment(refresh_seconds=FRESH_SECONDS)
def claims(testnets: bool) -> None:
    """What the escrow has still to repay the relayer, by due date."""
    with notices.show_errors():
        moves, catalogue = inventory_now(), services().catalogue
        receivables = [
            c for c in moves.receivables if catalogue.chains[c.chain].testnet == testnets
        ]
        prices = {(s.token.chain, s.token.address): s for s in moves.positions}
        rows = under_way.build_claim_rows(catalogue, receivables, prices, to_millis(moves.at))
        if not rows:
            st.markdown(
                "No open repayments. "
                "What the escrow owes the relayer for payouts appears here until it is repaid."
            )
            return
        if len(receivables) > len(rows):
            st.caption(f"The first {len(rows):,} of {len(receivables):,} by due date.")
        widget.table(rows, under_way.CLAIM_COLUMNS, "claims", "Open repayments from escrow")


@live_fragment.fragment(refresh_seconds=FRESH_SECONDS)
def inventory_at_bridges(testnets: bool) -> None:
    """The unified balance, a place of its own, and what bridges are moving for payments."""
    with notices.show_errors():
        catalogue, principal = services().catalogue, operator()
        balances = _unified_balances()
        for sentence in inventory_transfers.describe_unified(balances, testnets):
            st.markdown(notices.escape_markdown(sentence))
        moved = [
            transfer
            for transfer in unified_balance.list_open_transfers(services(), principal)
            if catalogue.chains[transfer.chain].testnet == testnets
        ]
        if not moved:
            st.markdown(
                "No bridge is moving inventory. "
                "A transfer for a payment appears here until it has arrived."
            )
            return
        rows = inventory_transfers.build_open_rows(catalogue, moved)
        columns = inventory_transfers.OPEN_COLUMNS
        widget.table(rows, columns, "inventory_transfers", "Open inventory transfers")


@live_fragment.fragment(refresh_seconds=FRESH_SECONDS)
def gas(testnets: bool) -> None:
    """Native coins for fees, and how many transactions they cover."""
    with notices.show_errors():
        rows = under_way.build_gas_rows(services().catalogue, inventory_now(), testnets)
        widget.table(rows, under_way.GAS_COLUMNS, "gas", "Gas by chain")


@live_fragment.fragment(refresh_seconds=_SUGGESTED_SECONDS)
def exposure_table(testnets: bool) -> None:
    """What price moves could cost: open payments with fixed terms."""
    with notices.show_errors():
        catalogue, principal = services().catalogue, operator()
        moves = push.cached(
            "exposure",
            lambda: price_exposure.list_exposures(services(), principal),
            max_age_seconds=FRESH_SECONDS,
        )
        limits = push.cached(
            "exposure-limits",
            lambda: exposure_limit.list_token_exposures(services(), principal),
            max_age_seconds=FRESH_SECONDS,
        )
        exposures = [
            move for move in moves if catalogue.chains[move.source_chain].testnet == testnets
        ]
        if not exposures:
            st.markdown(
                "No open payment depends on a price. "
                "Open payments between tokens of different prices appear here."
            )
            return
        rows = under_way.build_exposure_rows(catalogue, exposures)
        widget.table(rows, under_way.EXPOSURE_COLUMNS, "exposure", "Open payments by token")
        for sentence in under_way.describe_limits(limits):
            st.caption(sentence)


@live_fragment.fragment(refresh_seconds=_SUGGESTED_SECONDS)
def return_budgets(testnets: bool) -> None:
    """What refunds and returns may still cost on each chain."""
    with notices.show_errors():
        catalogue, principal = services().catalogue, operator()
        budgets = [
            budget
            for budget in list_budgets(services(), principal)
            if budget.chain in catalogue.chains
            and catalogue.chains[budget.chain].testnet == testnets
        ]
        if not budgets:
            st.markdown(
                "Nothing was returned at our cost yet. What returns may still cost appears here "
                "by chain."
            )
            return
        rows = under_way.build_return_rows(catalogue, budgets)
        widget.table(rows, under_way.RETURN_COLUMNS, "returns", "Left for returns by chain")


def targets() -> None:
    """Set the target inventory of a token on a chain, or leave it automatic."""
    if not operator().can(Permission.MOVE_FUNDS):
        st.markdown("Only treasurers can set targets.")
        return
    options = [chain.id for chain in usable_chains()]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chain = st.selectbox("Chain", options, key="target_chain", format_func=chain_label)
        symbol = st.selectbox(
            "Token", list_symbols(services().catalogue, chain), key="target_token"
        )
        typed = st.text_input("Target", key="target_amount", placeholder="such as 50000")
        is_set = st.button("Set target", icon=":material/flag:", key="target_set")
        if st.button("Automatic", icon=":material/autorenew:", key="target_drop"):
            run_action(partial(_clear_target, chain, symbol))
    decimals = services().catalogue.tokens[chain, symbol].decimals
    was_shown = show_readings("target", AmountInput("target", typed, decimals, symbol))
    if is_set:
        run_as_shown(was_shown, partial(_set_target, chain, symbol, typed))


def _set_target(chain: str, symbol: str, typed: str) -> str:
    decimals = services().catalogue.tokens[chain, symbol].decimals
    units = read_amount("target", typed, decimals, symbol).units
    inventory.set_target(services(), operator(), chain, symbol, units)
    amount = format_amount(units, decimals, symbol)
    return f"The target of {symbol} on {chain_label(chain)} is {amount}."


def _clear_target(chain: str, symbol: str) -> str:
    inventory.set_target(services(), operator(), chain, symbol, None)
    return f"The target of {symbol} on {chain_label(chain)} is automatic."
