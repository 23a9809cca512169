"""Payments that payers try on the simulated network, from the page itself."""

from typing import Final

from starlette.responses import Response

from crossway.domain.clients import Mode, Principal, Scope
from crossway.domain.errors import NotFound
from crossway.payer.checkout_status import checkout_status
from crossway.payer.responses import PageRequest, redirect_to
from crossway.usecases.payers import checkout
from crossway.usecases.simulator import chain_controls

AMOUNTS: Final = ("exact", "short", "over")


def simulated_payment_url(page_request: PageRequest, name: str) -> str:
    """Where an open payment can be tried; empty on real networks."""
    return page_request.path(f"{name}/simulate") if page_request.simulated else ""


def respond_simulated(page_request: PageRequest) -> Response:
    """Send simulated money to an open payment's address, and show the payment again."""
    services, name = page_request.services, page_request.request.path_params["page"]
    view = checkout.get_checkout(services, name)
    amount = page_request.request.state.form.get("amount")
    if not page_request.simulated or amount not in AMOUNTS:
        raise NotFound("No such page")
    if checkout_status(view, services.catalogue).open:
        intent, scopes = view.intent, frozenset({Scope.READ, Scope.WRITE})
        payer = Principal(view.merchant.client, Mode(intent.mode), scopes)
        chain_controls.send_deposit(services, payer, intent.address, amount)
    return redirect_to(page_request.path(name))
