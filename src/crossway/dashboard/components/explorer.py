"""Parts of the pages of a simulated transaction and of a simulated address."""

import streamlit as st

from crossway.dashboard.components import notices, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import explorer as view
from crossway.dashboard.views import search as search_view


def records(text: str) -> None:
    """The payments, ramp orders and other records that an identifier belongs to."""
    st.header("Belongs to")
    with notices.show_errors():
        groups, has_more, _ = search_view.group_results(services(), operator(), text)
        rebalancing = view.build_rebalancing_rows(services(), operator(), text)
        for group in groups:
            st.subheader(group.title)
            widget.table(group.rows, search_view.COLUMNS, f"of_{group.kind}", group.title)
        if rebalancing:
            label = "Rebalancing transfers"
            widget.table(rebalancing, view.REBALANCING_COLUMNS, "of_rebalancing", label)
        if has_more:
            st.caption("Only the newest are shown.")
        if not groups and not rebalancing:
            st.markdown("No payment, ramp order or rebalancing transfer is known for it.")
