"""The payer's page of a payment: its address with copy, and a way to it."""

from urllib.parse import urlsplit

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.session import services
from crossway.dashboard.views.cells import Cell, Fact
from crossway.dashboard.views.links import payment_link_href
from crossway.domain.intent import Intent
from crossway.usecases.payers import paying


def found_at() -> str:
    """The origin at which this browser found the dashboard."""
    parts = urlsplit(st.context.url or "http://localhost:8600")
    return f"{parts.scheme}://{parts.netloc}"


def shown(intent: Intent, key: str) -> None:
    """What is sent to the payer: a page without a login, which follows the payment."""
    url = paying.page_address(services(), found_at(), intent.id)
    hint = "Send it to the payer. It needs no login: whoever has it sees this payment"
    place = urlsplit(url)
    brief = f"{place.netloc}/pay/{place.path[-32:][:6]}…"
    cell = Cell(brief, hint, copy=url, what="address of the payer's page", href=url)
    told = [Fact("Payer's page", cell)]
    if intent.payment_link_id:
        made_by = intent.payment_link_id
        known = paying.is_link_name(made_by)
        href = payment_link_href(made_by) if known else ""
        told.append(Fact("Payment link", Cell(made_by, copy=made_by, what="link", href=href)))
    widget.facts(told, f"{key}_page", "Payer's page")
