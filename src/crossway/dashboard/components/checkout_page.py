"""The checkout page of a payment: its address with a copy button and a link."""

from urllib.parse import urlsplit

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.session import services
from crossway.dashboard.views.cells import Cell, Detail
from crossway.dashboard.views.links import payment_link_href
from crossway.domain.intent import Intent
from crossway.usecases.payers import checkout
from crossway.usecases.payments import checkout_urls


def dashboard_origin() -> str:
    """The origin under which this browser reached the dashboard."""
    parts = urlsplit(st.context.url or "http://localhost:8600")
    return f"{parts.scheme}://{parts.netloc}"


def checkout_facts(intent: Intent, key: str) -> None:
    """The checkout page of a payment, which needs no sign-in, and its payment link."""
    url = checkout_urls.checkout_url(services(), dashboard_origin(), intent.id)
    hint = "Share it with the payer. Anyone with the link can see this payment"
    url_parts = urlsplit(url)
    brief = f"{url_parts.netloc}/pay/{url_parts.path[-32:][:6]}…"
    cell = Cell(brief, hint, copy=url, value_name="checkout URL", href=url)
    rows = [Detail("Checkout page", cell)]
    if intent.payment_link_id:
        link_id = intent.payment_link_id
        is_link = checkout.is_link_id(link_id)
        href = payment_link_href(link_id) if is_link else ""
        rows.append(
            Detail("Payment link", Cell(link_id, copy=link_id, value_name="link", href=href))
        )
    widget.details(rows, f"{key}_page", "Checkout page")
