"""The money in bridges: a sentence about all of it, and a table."""

import streamlit as st

from crossway.dashboard.components import live_fragment, notices, widget
from crossway.dashboard.components.treasury import FRESH_SECONDS, inventory_now
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import money_in_bridges as view
from crossway.usecases.money.money_in_bridges import list_money_in_bridges


@live_fragment.fragment(refresh_seconds=FRESH_SECONDS)
def table(testnets: bool) -> None:
    """What has left a chain over a bridge and has not arrived, the earliest due first."""
    with notices.show_errors():
        catalogue, now = services().catalogue, services().clock.now()
        money = [
            one
            for one in list_money_in_bridges(services(), operator())
            if catalogue.chains[one.source[0]].testnet == testnets
        ]
        if not money:
            st.markdown(
                "No money is in bridges. "
                "What payments and rebalancing send appears here until it has arrived."
            )
            return
        st.markdown(notices.escape_markdown(view.describe(catalogue, money, now)))
        if len(money) > view.MAX_ROWS:
            st.caption(f"The first {view.MAX_ROWS} of {len(money):,} by due time.")
        prices = {
            (position.token.chain, position.token.address): position.pico_usd
            for position in inventory_now().positions
        }
        rows = view.build_rows(catalogue, money, prices, now)
        widget.table(rows, view.COLUMNS, "money_in_bridges", "Money in bridges")
