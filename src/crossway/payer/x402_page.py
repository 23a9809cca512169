"""What a payment link answers to programs that pay by x402."""

from collections.abc import Awaitable, Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from crossway.domain.errors import InvalidInput, InvalidStatus
from crossway.payer.responses import PageRequest, render_json
from crossway.usecases.payers import checkout
from crossway.usecases.payers.checkout import CheckoutError, principal_of
from crossway.usecases.payments.checkout_urls import create_token
from crossway.usecases.x402.facilitator import (
    PENDING,
    Begun,
    Settlement,
    begin_settlement,
    read_settlement,
)
from crossway.usecases.x402.link_offers import offer_by_link
from crossway.usecases.x402.messages import (
    PaymentUnreadable,
    decode_header,
    encode_header,
    payment_required,
)
from crossway.web_pages.waiting import wait_for

SIGNATURE, REQUIRED, SETTLED = "payment-signature", "payment-required", "payment-response"
Later = Callable[[], Awaitable[Response]]


def asks_for_x402(request: Request) -> bool:
    """Whether a request for a link's page comes from a program: it brings a payment, or takes JSON
    and no page. One that asks for headers alone (HEAD) makes no payment."""
    if request.method != "GET":
        return False
    accepted = request.headers.get("accept", "")
    takes_json = "application/json" in accepted and "text/html" not in accepted
    return SIGNATURE in request.headers or takes_json


def respond_x402(page_request: PageRequest) -> Response | Later:
    """Status 402 with an offer, or what became of the payment that the request brings."""
    request = page_request.request
    header = request.headers.get(SIGNATURE)
    if header is None:
        return _offer(page_request)
    link = checkout.get_checkout_link(
        page_request.services, request.path_params["link"], request.state.payer
    )
    try:
        payment = decode_header(header)
    except PaymentUnreadable as error:
        return _offer(page_request, str(error))
    caller = principal_of(link)
    begun = begin_settlement(page_request.services, caller, payment, link.link.id)
    if isinstance(begun, Settlement):
        return _settled(page_request, begun)
    return partial(_wait, page_request, begun)


def _offer(page_request: PageRequest, error: str = "Payment required") -> Response:
    request = page_request.request
    link_id, asked = request.path_params["link"], request.query_params
    amount, network = asked.get("amount", "")[:40], asked.get("network", "")[:40]
    try:
        offers = offer_by_link(page_request.services, link_id, amount, network, request.state.payer)
    except InvalidStatus as closed:
        return render_json({"error": str(closed)}, 410)
    except (CheckoutError, InvalidInput) as refused:
        return render_json({"error": str(refused)}, 422)
    title = checkout.get_checkout_link(page_request.services, link_id).link.title
    content = payment_required(offers, page_request.absolute_url(f"l/{link_id}"), title, error)
    response = render_json(content, 402)
    response.headers[REQUIRED] = encode_header(content)
    return response


async def _wait(page_request: PageRequest, begun: Begun) -> Response:
    done = await wait_for(partial(read_settlement, page_request.services, begun))
    if done is None:
        return render_json({"error": PENDING}, 503)
    return _settled(page_request, done, begun.intent_id)


def _settled(page_request: PageRequest, done: Settlement, intent_id: int = 0) -> Response:
    content = done.to_json()
    if done.reason:
        response = _offer(page_request, done.reason)
    else:
        name = create_token(page_request.services, intent_id)
        url = page_request.absolute_url(name)
        response = render_json({"paid": True, "transaction": done.tx_id, "payment_url": url})
    response.headers[SETTLED] = encode_header(content)
    return response
