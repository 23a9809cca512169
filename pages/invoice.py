"""One invoice: what it says, what is paid of it, and its page for the payer."""

import streamlit as st

from crossway.dashboard.components import billing, environment, not_found, notices, widget
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import billing as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import page_href

with not_found.handle_not_found(
    "Invoice", LinkButton("All invoices", page_href("invoices"), "receipt")
):
    found = view.get_invoice(services(), operator(), st.query_params.get("id") or "")
    st.title(notices.escape_markdown(found.invoice.number))
    environment.other_mode_notice(found.invoice.mode)
    is_overdue = found.invoice.is_overdue(services().clock.now())
    with st.container(horizontal=True, gap="small"):
        for badge in view.invoice_badges(found, is_overdue):
            st.badge(badge.text, icon=f":material/{badge.icon}:", color=badge.color)
    url = billing.payer_page(found)
    widget.details(view.build_details(services(), found, url), "invoice_facts", "Details")
    billing.void_button(found)
    audit_href = page_href("audit", about=f"invoice:{found.invoice.name}")
    widget.link_buttons((LinkButton("Audit log", audit_href, "history"),), "invoice_ways")
