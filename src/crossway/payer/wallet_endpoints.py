"""What the page's scripts ask while a payer pays with a wallet in the browser."""

from base64 import b64encode

from starlette.responses import Response

from crossway.domain.errors import InvalidInput, NotFound
from crossway.payer.checkout_status import checkout_status
from crossway.payer.formatting import format_exact
from crossway.payer.responses import PageRequest, render_json
from crossway.usecases.payers import checkout
from crossway.usecases.payers.checkout import CheckoutSnapshot
from crossway.usecases.payers.wallet_accounts import build_transfer, read_balance


def respond_balance(page_request: PageRequest) -> Response:
    """What a wallet's account holds of the token that an open payment asks for, and whether that is
    enough for what is missing."""
    view, missing = _open_payment(page_request)
    try:
        units = read_balance(page_request.services, view.intent, _account(page_request))
    except InvalidInput:
        return render_json({"error": "account"}, 422)
    intent = view.intent
    shown = format_exact(units, intent.asset_decimals, intent.asset_symbol, page_request.t.locale)
    return render_json({"balance": shown, "enough": units >= missing})


def respond_transfer(page_request: PageRequest) -> Response:
    """The transaction that pays what an open payment lacks from a wallet's account, to be signed
    there."""
    view, missing = _open_payment(page_request)
    try:
        raw = build_transfer(page_request.services, view.intent, _account(page_request), missing)
    except InvalidInput:
        return render_json({"error": "account"}, 422)
    return render_json({"transaction": b64encode(raw).decode(), "amount": str(missing)})


def _account(page_request: PageRequest) -> str:
    return str(page_request.request.state.form.get("account", ""))


def _open_payment(page_request: PageRequest) -> tuple[CheckoutSnapshot, int]:
    """The payment of the page with what it lacks, while wallets can pay it."""
    services = page_request.services
    view = checkout.get_checkout(services, page_request.request.path_params["page"])
    status = checkout_status(view, services.catalogue)
    if page_request.simulated or not status.open:
        raise NotFound("No such page")
    return view, status.missing
