"""Rebalancing policies and limits: bars, a table and their forms, and transfers by hand."""

from collections.abc import Sequence
from datetime import time
from functools import partial

import streamlit as st

from crossway.dashboard import rebalancing_charts
from crossway.dashboard.components import live_fragment, notices, widget
from crossway.dashboard.components.actions import confirm, run_action
from crossway.dashboard.components.amount_reading import (
    AmountInput,
    run_as_shown,
    show_readings,
)
from crossway.dashboard.components.charting import chart, theme_shade
from crossway.dashboard.components.rebalancing import PLAN_SECONDS, carry_out, plan_of_now
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import rebalancing as transfers_view
from crossway.dashboard.views import rebalancing_policies as view
from crossway.dashboard.views.formatting import chain_name, format_token_amount, list_symbols
from crossway.domain.ledger import UNIFIED_DECIMALS, UNIFIED_TOKEN, is_unified, unified_location
from crossway.domain.money import MICRO_USD_DECIMALS
from crossway.domain.quotes import BridgeName, bridge_title
from crossway.domain.rebalancing import RebalancingSettings
from crossway.domain.roles import Permission
from crossway.usecases.money import rebalancing_by_hand
from crossway.usecases.money import rebalancing_policies as cases


@live_fragment.fragment(refresh_seconds=PLAN_SECONDS)
def policies(testnets: bool) -> None:
    """What every location has of a token, against its policy."""
    with notices.show_errors(), st.skeleton(height=240):
        found = view.list_locations(plan_of_now().inputs, testnets)
        symbols = view.list_symbols(found)
        if not symbols:
            st.markdown(
                "No policy and no target is set, and nothing was paid out lately. Set a policy "
                "below: its location appears here with what it has."
            )
            return
        symbol = st.selectbox("Token", symbols, key="rebalancing_token", width=220)
        of_token = [one for one in found if one.at.group[0] == symbol]
        bars = view.build_bars(of_token)
        if bars:
            st.caption(f"{symbol} in per cent of each target; longer bars end at the edge.")
            option = rebalancing_charts.policy_bars(bars, theme_shade())
            chart(option, 80 + 34 * len(bars), "policy_bars", view.describe_bars(bars))
        rows = view.build_rows(services().catalogue, of_token)
        widget.table(rows, view.COLUMNS, "policies", "Policies by location")


def _locations(testnets: bool) -> list[str]:
    """The chains of a network, and its unified balance where Gateway is in use."""
    facts = services().catalogue.chains
    chains = [chain for chain in services().chains if facts[chain].testnet == testnets]
    unified = (
        [unified_location(testnets)] if BridgeName.GATEWAY in services().inventory_bridges else []
    )
    return [*unified, *chains] if chains else []


def _name(location: str) -> str:
    return chain_name(services().catalogue, location)


def _symbols_of(location: str) -> Sequence[str]:
    if is_unified(location):
        return [UNIFIED_TOKEN]
    return list_symbols(services().catalogue, location)


def _decimals(location: str, symbol: str) -> int:
    if is_unified(location):
        return UNIFIED_DECIMALS
    return services().catalogue.tokens[location, symbol].decimals


def policy_form(testnets: bool) -> None:
    """Set or delete the policy of a location."""
    if not operator().can(Permission.MOVE_FUNDS):
        st.markdown("Only treasurers can set policies.")
        return
    if not (options := _locations(testnets)):
        st.markdown("No chain of this network is in use.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        where = st.selectbox("Where", options, key="policy_where", format_func=_name)
        symbol = st.selectbox("Token", _symbols_of(where), key="policy_token")
        typed = [
            st.text_input(label, key=f"policy_{label.lower()}", placeholder=hint)
            for label, hint in (
                ("Minimum", "such as 5000"),
                ("Target", "such as 10000"),
                ("Maximum", "empty: none"),
            )
        ]
        priority = st.number_input("Priority", 1, cases.MAX_PRIORITY, 1, key="policy_priority")
        is_set = st.button("Set policy", icon=":material/rule:", key="policy_set")
        if st.button("Delete policy", icon=":material/delete:", key="policy_delete"):
            run_action(partial(_delete_policy, where, symbol))
    decimals = _decimals(where, symbol)
    amounts = zip(("Minimum", "Target", "Maximum"), typed, strict=True)
    inputs = [AmountInput(field, text, decimals, symbol) for field, text in amounts]
    was_shown = show_readings("policy", *inputs)
    if is_set:
        run_as_shown(was_shown, partial(_set_policy, where, symbol, typed, int(priority)))
    st.caption(
        "Below its minimum a location is filled to its target; above its maximum, what exceeds the "
        "target leaves. Without a policy, the target counts: half of it is the minimum."
    )


def _set_policy(where: str, symbol: str, typed: Sequence[str], priority: int) -> str:
    decimals = _decimals(where, symbol)
    minimum = view.parse_amount("minimum", typed[0], decimals, symbol)
    target = view.parse_amount("target", typed[1], decimals, symbol)
    maximum = view.parse_maximum(typed[2], decimals, symbol)
    location = cases.find_location(services(), where, symbol)
    cases.set_policy(services(), operator(), location, minimum, target, maximum, priority)
    return f"The policy of {symbol} on {_name(where)} is set."


def _delete_policy(where: str, symbol: str) -> str:
    cases.delete_policy(services(), operator(), cases.find_location(services(), where, symbol))
    return f"{symbol} on {_name(where)} follows from its target again."


def limits() -> None:
    """The limits in words, and their form for treasurers."""
    settings = cases.get_settings(services(), operator())
    for sentence in view.describe_settings(settings):
        st.markdown(notices.escape_markdown(sentence))
    if operator().can(Permission.MOVE_FUNDS):
        with st.expander("Change the limits", icon=":material/tune:"):
            _limits_form(settings)


def _limits_form(settings: RebalancingSettings) -> None:
    usd = view.usd_text
    with st.form("rebalancing_limits", border=False), st.grid(3, min_column_width=210, gap="small"):
        cost = st.text_input("Cost of a transfer, basis points", str(settings.max_cost_bps))
        day = st.text_input("Cost of a day, USD", usd(settings.max_cost_day_micro_usd))
        above = st.text_input("Approval above, USD", usd(settings.approve_above_micro_usd))
        smallest = st.text_input("Smallest transfer, USD", usd(settings.smallest_micro_usd))
        largest = st.text_input("Largest transfer, USD", usd(settings.largest_micro_usd))
        at_once = st.text_input("Open transfers per bridge", str(settings.max_open_per_bridge))
        cool = st.text_input("Cool-down, seconds", str(settings.cool_down_seconds))
        begins = st.time_input("From (UTC)", settings.begins_at)
        ends = st.time_input("Until (UTC)", settings.ends_at, help="The same time: always")
        saved = st.form_submit_button("Save limits", icon=":material/save:")
    numbers = {"max_cost_bps": cost, "max_open_per_bridge": at_once, "cool_down_seconds": cool}
    amounts = {
        "max_cost_day_micro_usd": day,
        "approve_above_micro_usd": above,
        "smallest_micro_usd": smallest,
        "largest_micro_usd": largest,
    }
    was_shown = _limits_shown(day, above, smallest, largest)
    if saved:
        times = {"begins_at": begins, "ends_at": ends}
        run_as_shown(was_shown, partial(_save_limits, numbers, amounts, times))


def _limits_shown(*typed: str) -> bool:
    fields = ("Cost of a day", "Approval above", "Smallest transfer", "Largest transfer")
    amounts = zip(fields, typed, strict=True)
    return show_readings(
        "limits", *(AmountInput(field, text, MICRO_USD_DECIMALS, "USD") for field, text in amounts)
    )


def _save_limits(numbers: dict[str, str], amounts: dict[str, str], times: dict[str, time]) -> str:
    changes: dict[str, int | time] = {}
    changes |= {name: view.parse_whole(name, typed) for name, typed in numbers.items()}
    changes |= {name: view.parse_usd(name, typed) for name, typed in amounts.items()}
    cases.set_limits(services(), operator(), changes | times)
    return "The limits of rebalancing are saved."


def by_hand(testnets: bool) -> None:
    """Plan a transfer by hand, see what it costs, and carry it out."""
    if not operator().can(Permission.MOVE_FUNDS):
        st.markdown("Only treasurers can move inventory.")
        return
    if len(options := _locations(testnets)) < 2:
        st.markdown("Inventory moves between two chains of a network.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        source = st.selectbox("From", options, key="hand_source", format_func=_name)
        others = [other for other in options if other != source]
        destination = st.selectbox("To", others, key="hand_destination", format_func=_name)
        both = [s for s in _symbols_of(source) if s in _symbols_of(destination)]
        symbol = st.selectbox("Token", both, key="hand_token")
        amount = st.text_input("Amount to arrive", key="hand_amount", placeholder="such as 1000")
        bridges = ["", *services().inventory_bridges]
        bridge = st.selectbox(
            "Bridge",
            bridges,
            key="hand_bridge",
            format_func=lambda b: bridge_title(b) if b else "Cheapest",
        )
        if st.button("Plan transfer…", icon=":material/route:", key="hand_plan"):
            with notices.show_errors():
                _confirm_by_hand(source, destination, symbol, amount, bridge)


def _confirm_by_hand(source: str, destination: str, symbol: str, typed: str, bridge: str) -> None:
    ends = [cases.find_location(services(), chain, symbol) for chain in (source, destination)]
    amount = view.parse_amount("amount", typed, _decimals(destination, symbol), symbol)
    planned = rebalancing_by_hand.plan_by_hand(
        services(), operator(), ends[0], ends[1], amount, bridge
    )
    what = transfers_view.describe_planned(services().catalogue, planned)
    most = format_token_amount(services().catalogue, *planned.source, planned.max_source_amount)
    asks = f"{what}. At most {most} leave the source."
    confirm("Carry out this transfer?", asks, "Carry out", partial(carry_out, planned))
