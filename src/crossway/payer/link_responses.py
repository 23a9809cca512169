"""The pages of payment links: what can be paid with, the form that pays, and the poster."""

from starlette.responses import Response

from crossway.domain.errors import InvalidStatus
from crossway.payer.link_page import LinkPage, build_poster, priced_page, unpriced_page
from crossway.payer.responses import PageRequest, page_brand, redirect_to, render_page
from crossway.payer.x402_page import Later, asks_for_x402, respond_x402
from crossway.usecases.payers import checkout
from crossway.usecases.payers.checkout import CheckoutError, CheckoutLink
from crossway.usecases.payers.link_payments import CheckoutForm, pay_by_link
from crossway.usecases.payments.checkout_urls import create_token

_FIELDS = {"amount": "amount", "low": "amount", "high": "amount", "refund": "refund"}
_LONGEST_AMOUNT = 500


def _find_link(page_request: PageRequest) -> CheckoutLink:
    request = page_request.request
    link_id, payer = request.path_params["link"], request.state.payer
    return checkout.get_checkout_link(page_request.services, link_id, payer)


def respond_link(page_request: PageRequest) -> Response | Later:
    """The page of a link; a program that asks for x402 gets offers."""
    if asks_for_x402(page_request.request):
        return respond_x402(page_request)
    checkout_link = _find_link(page_request)
    amount_text = page_request.request.query_params.get("amount", "")[:_LONGEST_AMOUNT]
    needs_amount = checkout_link.link.amount is None and not amount_text
    if checkout_link.closed_reason is not None or needs_amount:
        return _render_link(page_request, checkout_link, unpriced_page(page_request, checkout_link))
    return _priced_link_page(page_request, checkout_link, amount_text, None)


def _priced_link_page(
    page_request: PageRequest,
    checkout_link: CheckoutLink,
    amount_text: str,
    error: CheckoutError | None,
) -> Response:
    """The payment options of an amount with a form error, if any. The amount is asked for again if
    it was the error."""
    form = getattr(page_request.request.state, "form", {})
    try:
        amount = checkout.parse_amount(checkout_link, amount_text)
    except CheckoutError as invalid:
        page = unpriced_page(page_request, checkout_link)
        page.amount_input, page.error = amount_text[:40], page_request.t(f"error.{invalid.reason}")
        return _render_link(page_request, checkout_link, page, 422)
    methods = checkout.list_payment_methods(page_request.services, checkout_link, amount)
    page = priced_page(page_request, checkout_link, amount, methods, form.get("method", ""))
    page.refund = form.get("refund", "")[:128]
    if error is not None:
        page.error = page_request.t(f"error.{error.reason}")
        page.error_field = _FIELDS.get(error.reason, "method")
    return _render_link(page_request, checkout_link, page, 422 if error else 200)


def respond_payment(page_request: PageRequest) -> Response:
    """Create the payment that the form asks for and lead to its page."""
    link_id, payer = page_request.request.path_params["link"], page_request.request.state.payer
    field = page_request.request.state.form.get
    form = CheckoutForm(
        nonce=field("nonce", ""),
        amount=field("amount", "")[:_LONGEST_AMOUNT],
        method=field("method", ""),
        refund_address=field("refund", ""),
        payer=payer,
    )
    checkout_link = _find_link(page_request)
    try:
        intent = pay_by_link(page_request.services, link_id, form)
    except InvalidStatus:
        checkout_link = checkout.get_checkout_link(page_request.services, link_id)
        return _render_link(
            page_request, checkout_link, unpriced_page(page_request, checkout_link), 409
        )
    except CheckoutError as error:
        return _priced_link_page(page_request, checkout_link, form.amount, error)
    return redirect_to(page_request.path(create_token(page_request.services, intent.id)))


def _render_link(
    page_request: PageRequest, checkout_link: CheckoutLink, page: LinkPage, status: int = 200
) -> Response:
    brand = page_brand(checkout_link.merchant)
    title = f"{page.title} · {page_request.t.plain('head.pay', merchant=brand.name)}"
    return render_page(page_request, "link.html", brand, title, status, page=page)


def respond_poster(page_request: PageRequest) -> Response:
    """The link as a poster to print."""
    checkout_link = _find_link(page_request)
    page, brand = build_poster(page_request, checkout_link), page_brand(checkout_link.merchant)
    return render_page(page_request, "poster.html", brand, page.title, page=page)
