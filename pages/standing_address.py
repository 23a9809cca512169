"""One standing address: its rules, what can be done with it, and what came to it."""

import streamlit as st

from crossway.dashboard.components import environment, not_found, standing, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import standing as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

with not_found.handle_not_found(
    "Standing address",
    LinkButton("All standing addresses", page_href("standing_addresses"), "all_inbox"),
):
    address = view.get_address(services(), operator(), st.query_params.get("id") or "")
    st.title("Standing address")
    environment.other_mode_notice(address.mode)
    badge = view.status_badge(address)
    st.badge(
        badge.text, icon=f":material/{badge.icon}:", color=badge.color, help=badge.hint or None
    )
    widget.details(view.build_details(services(), address), "standing_facts", "Details")
    standing.switch(address)
    audit_href = page_href("audit", about=f"standing_address:{address.id}")
    widget.link_buttons((LinkButton("Audit log", audit_href, "history"),), "standing_ways")
    standing.estimate(address)
    st.header("Deposits")
    standing.deposit_list(address.id)
    standing.return_buttons(address)
