"""The bridges of one pair of chains, side by side over a period."""

from collections.abc import Sequence

import streamlit as st

from crossway.dashboard import pair_charts
from crossway.dashboard.components import live_fragment, notices, widget
from crossway.dashboard.components.asset_inputs import chain_label, chain_select
from crossway.dashboard.components.charting import chart, theme_shade
from crossway.dashboard.components.network_map import current_corridors
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import pair as view
from crossway.dashboard.views.formatting import format_usd
from crossway.dashboard.views.map_links import AMOUNT_MICRO_USD
from crossway.usecases.pricing.corridor_quotes import Window
from crossway.usecases.pricing.pair_history import PairHistory, get_pair_history

_PER_ROW = 2
_MEASURED = (
    "Times, success and volume are measured from payments that ended. Costs over time are those "
    "quoted when these payments were created: quotes that led to no payment are not stored."
)


def filters() -> tuple[str | None, str | None, Window]:
    """Source, destination and period."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        source = chain_select("From chain", "pair_from")
        destination = chain_select("To chain", "pair_to")
        window = st.segmented_control(
            "Period",
            tuple(Window),
            key="window",
            default=Window.DAY,
            required=True,
            bind="query-params",
        )
    return source, destination, Window(window)


@live_fragment.fragment(refresh_seconds=20.0)
def comparison(source: str, destination: str, window: Window) -> None:
    """The bridges from one chain to the other."""
    of, caller = services(), operator()
    with notices.show_errors():
        testnets = of.catalogue.chains[source].testnet
        corridors = [
            c
            for c in current_corridors(of, caller, window, testnets)
            if (c.route.source, c.route.destination) == (source, destination)
        ]
        history = get_pair_history(of, caller, source, destination, window)
        bridges = view.build_bridges(corridors, history)
        if not bridges:
            ends = f"{chain_label(source)} to {chain_label(destination)}"
            notices.empty_state(f"No bridge serves {ends}", "Choose other chains.", "link_off")
            return
        st.caption(_MEASURED)
        _draw(bridges, history, window)


def _draw(bridges: Sequence[view.PairBridge], history: PairHistory, window: Window) -> None:
    ends = pair_charts.scales(bridges)
    amount = format_usd(AMOUNT_MICRO_USD, 0)
    for first in range(0, len(bridges), _PER_ROW):
        columns = st.columns(_PER_ROW, gap="large")
        for column, bridge in zip(columns, bridges[first : first + _PER_ROW], strict=False):
            with column:
                st.header(bridge.title)
                details = view.build_details(bridge, amount, window)
                widget.details(details, f"pair_{bridge.name}", bridge.title)
                if bridge.chart is None:
                    st.caption(f"No payment over it ended in the last {window}.")
                    continue
                option = pair_charts.over_time(bridge, bridge.chart, ends, theme_shade())
                steps = f"each {history.period} of the last {window}"
                alt = f"{bridge.title}: volume, time, success and cost in {steps}"
                chart(option, pair_charts.HEIGHT, f"pair_chart_{bridge.name}", alt)
