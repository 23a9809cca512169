"""What the page's scripts ask while a payer pays with a wallet in the browser."""

from base64 import b64encode
from typing import Final

from starlette.responses import Response

from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.payer_signatures import SignatureState
from crossway.payer.checkout_status import checkout_status
from crossway.payer.formatting import format_exact
from crossway.payer.responses import PageRequest, render_json
from crossway.usecases.payers import checkout
from crossway.usecases.payers.checkout import CheckoutSnapshot
from crossway.usecases.payers.signature_offers import needs_approval
from crossway.usecases.payers.signed_payments import (
    SignatureRefused,
    accept_from_page,
    build_request,
    find_newest,
    is_offered,
    is_signed,
)
from crossway.usecases.payers.wallet_accounts import build_transfer, parse_account, read_balance

_REFUSALS: Final = {"signature": "sign_wrong", "balance": "low"}
_STATES: Final = {
    SignatureState.STORED: "signed",
    SignatureState.PAID: "signed",
    SignatureState.CANCELLED: "sign_used",
    SignatureState.USED_ELSEWHERE: "sign_used",
    SignatureState.REFUSED: "sign_refused",
    SignatureState.LAPSED: "sign_refused",
}


def respond_balance(page_request: PageRequest) -> Response:
    """What a wallet's account holds of the token that an open payment asks for, and whether that is
    enough for what is missing."""
    view, missing = _open_payment(page_request)
    try:
        account = parse_account(page_request.services, view.intent, _account(page_request))
        units = read_balance(page_request.services, view.intent, account)
    except InvalidInput:
        return render_json({"error": "account"}, 422)
    intent = view.intent
    shown = format_exact(units, intent.asset_decimals, intent.asset_symbol, page_request.t.locale)
    services, answer = page_request.services, {"balance": shown, "enough": units >= missing}
    answer["signed"] = is_signed(services, intent)
    answer["signs"] = is_offered(services, intent, account)
    answer["approves"] = not answer["signs"] and needs_approval(services, intent, account)
    return render_json(answer)


def respond_transfer(page_request: PageRequest) -> Response:
    """The transaction that pays what an open payment lacks from a wallet's account, to be signed
    there."""
    view, missing = _open_payment(page_request)
    try:
        raw = build_transfer(page_request.services, view.intent, _account(page_request), missing)
    except InvalidInput:
        return render_json({"error": "account"}, 422)
    return render_json({"transaction": b64encode(raw).decode(), "amount": str(missing)})


def respond_signing(page_request: PageRequest) -> Response:
    """Without a signature, what an account is to sign to pay what an open payment lacks; with one,
    takes it, to be carried out. Where one is being carried out, its state alone. An `error` says
    why not, as a key of the page's texts."""
    view, missing = _open_payment(page_request)
    services, signature = page_request.services, page_request.request.state.form.get("signature")
    try:
        account = parse_account(services, view.intent, _account(page_request))
        if signature is None:
            return render_json({"typed": build_request(services, view.intent, account, missing)})
        accept_from_page(services, view.intent, account, missing, str(signature))
    except SignatureRefused as refused:
        if is_signed(services, view.intent):
            return render_json({"state": "signed"})
        return render_json({"error": _REFUSALS.get(refused.reason, "sign_refused")}, 422)
    except (InvalidInput, InvalidStatus):
        return render_json({"error": "sign_refused"}, 422)
    return render_json({"state": "signed"})


def respond_signature_state(page_request: PageRequest) -> Response:
    """What became of the newest signature of a payment, as a key of the page's texts, and the
    transaction that carries it out."""
    services = page_request.services
    view = checkout.get_checkout(services, page_request.request.path_params["page"])
    newest = find_newest(services, view.intent.id)
    if newest is None:
        raise NotFound("No such page")
    signature, tx_id = newest
    return render_json({"state": _STATES[signature.state], "hash": tx_id or ""})


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
