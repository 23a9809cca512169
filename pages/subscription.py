"""One subscription: how it repeats, its invoices, and its page for the payer."""

import streamlit as st

from crossway.dashboard.components import billing, environment, not_found, notices, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import billing as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

with not_found.handle_not_found(
    "Subscription", LinkButton("All invoices", page_href("invoices"), "receipt")
):
    found = view.get_subscription(services(), operator(), st.query_params.get("id") or "")
    st.title(notices.escape_markdown(found.link["title"] or "Subscription"))
    environment.other_mode_notice(found.mode)
    badge = view.subscription_badge(found)
    st.badge(
        badge.text, icon=f":material/{badge.icon}:", color=badge.color, help=badge.hint or None
    )
    url = billing.payer_page(found)
    billing.state_buttons(found)
    widget.details(
        view.subscription_details(services(), found, url), "subscription_facts", "Details"
    )
    st.header("Invoices")
    billing.invoice_list(subscription=found.name)
