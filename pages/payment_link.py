"""One payment link: its details, what to share with payers, and its payments."""

import streamlit as st

from crossway.dashboard.components import environment, not_found, notices, payment_links, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import payment_links as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

with not_found.handle_not_found(
    "Payment link", LinkButton("All payment links", page_href("payment_links"), "add_link")
):
    payment_link = view.get_link(services(), operator(), st.query_params.get("id") or "")
    st.title(notices.escape_markdown(payment_link.title))
    environment.other_mode_notice(payment_link.mode)
    badge = view.status_badge(payment_link, services().clock.now())
    st.badge(
        badge.text, icon=f":material/{badge.icon}:", color=badge.color, help=badge.hint or None
    )
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.header("Share")
        url = payment_links.share(payment_link)
    with left:
        st.header("Details")
        widget.details(view.build_details(services(), payment_link, url), "link_facts", "Details")
        payment_links.switch(payment_link)
        with st.expander("Edit", icon=":material/edit:", key="change_link_fold"):
            payment_links.change(payment_link)
        audit_href = page_href("audit", about=f"payment_link:{payment_link.id}")
        widget.link_buttons((LinkButton("Audit log", audit_href, "history"),), "link_ways")
    st.header("Payments")
    payment_links.use_list(payment_link.id)
