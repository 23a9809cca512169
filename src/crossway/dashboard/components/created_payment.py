"""A payment that was just created: the payer's link to hand on, its QR code and live status."""

import streamlit as st

from crossway.dashboard.components import (
    checkout_page,
    environment,
    live_fragment,
    notices,
    widget,
)
from crossway.dashboard.components import intent as parts
from crossway.dashboard.components.new_payment import MERCHANT_COOKIE
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import intent_detail, new_intent, payer_link
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import intent_href, is_record_id, page_href
from crossway.domain.errors import NotFound
from crossway.domain.intent import Intent
from crossway.usecases.payments import checkout_urls


def show(created: str) -> None:
    """The created payment of this id, as it stands in the page's address."""
    found = False
    with notices.show_errors():
        if not is_record_id(created):
            raise NotFound(f"No payment found for “{created}”")
        intent = new_intent.load_created(services(), operator(), int(created))
        found = True
        environment.other_mode_notice(intent.mode)
        widget.remember(MERCHANT_COOKIE, intent.client_id)
        st.success(f"Payment #{intent.id} is ready: {new_intent.format_total(intent)}.")
        _payer_link(intent)
        _live_status(intent.id)
    view = LinkButton("View this payment", intent_href(created), "visibility", primary=True)
    another = LinkButton("Another payment", page_href("new_intent"), "add_circle")
    widget.link_buttons((view, another) if found else (another,), "follow")


def _payer_link(intent: Intent) -> None:
    """The payer's page with the ways to hand it on."""
    url = checkout_urls.checkout_url(services(), checkout_page.dashboard_origin(), intent.id)
    with services().store.read() as unit:
        client = unit.api_keys.get_client(intent.client_id)
    merchant = (client.public_profile.display_name or client.name) if client else ""
    widget.payer_link(payer_link.build(services(), intent, url, merchant), "payer_link")


@live_fragment.fragment()
def _live_status(intent_id: int) -> None:
    with notices.show_errors():
        detail = intent_detail.load_intent_detail(services(), operator(), intent_id)
        parts.header(detail)
