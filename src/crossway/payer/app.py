"""The payer's pages as one ASGI application, mounted at `/pay`; it needs no login and no cookie."""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol
from urllib.parse import parse_qsl

import anyio.to_thread
import structlog
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Scope

from crossway.domain.errors import InvalidStatus, NotFound, QuotesUnavailable, Unreachable
from crossway.payer import responses
from crossway.payer.intent_page import build_intent_page
from crossway.payer.link_page import LinkPage, build_poster, priced_page, unpriced_page
from crossway.payer.responses import (
    ASSETS,
    PageRequest,
    page_brand,
    redirect_to,
    render_fragment,
    render_notice,
    render_page,
)
from crossway.ports.services import Services
from crossway.usecases.payers import branding, checkout
from crossway.usecases.payers.checkout import CheckoutError, CheckoutForm, CheckoutLink

LOG = structlog.get_logger("crossway.payer")
VIEWS_PER_MINUTE = 600
QUOTES_PER_MINUTE = 60
INTENTS_PER_MINUTE = 20
INTENTS_PER_MINUTE_AND_LINK = 120
MAX_FORM_BYTES = 16 * 1024
_FIELDS = {"amount": "amount", "low": "amount", "high": "amount", "refund": "refund"}
_SIZE = 500
Page = Callable[[PageRequest], Response]


class IpRateLimiter(Protocol):
    """Counts what comes without a key."""

    def wait_seconds(self, services: Services, scope: Scope, what: str, per_minute: int) -> int:
        """Count one more of `what` from where a request comes; how long to wait, zero when it may
        go on."""
        ...

    def wait_for(self, name: str, per_minute: int) -> int:
        """The same for something that has a name, from wherever it comes."""
        ...


def create_pages(turnstile: IpRateLimiter, services: Services | None = None) -> Starlette:
    """The pages; without services they answer 503 until `state.services` is set."""
    answer = partial(_endpoint, turnstile)
    routes = [
        Route("/assets/{name}", _asset, methods=["GET"]),
        Route("/logo/{digest}", answer(_logo, VIEWS_PER_MINUTE), methods=["GET"]),
        Route("/l/{link}", answer(_link_page, QUOTES_PER_MINUTE), methods=["GET"]),
        Route("/l/{link}", answer(_pay, INTENTS_PER_MINUTE), methods=["POST"]),
        Route("/l/{link}/poster", answer(_poster, VIEWS_PER_MINUTE), methods=["GET"]),
        Route("/{page}", answer(_intent, VIEWS_PER_MINUTE), methods=["GET"]),
        Route("/{page}/live", answer(_live, VIEWS_PER_MINUTE), methods=["GET"]),
        Route("/{rest:path}", answer(_not_found, VIEWS_PER_MINUTE), methods=["GET"]),
    ]
    pages = Starlette(routes=routes, middleware=[Middleware(GZipMiddleware, minimum_size=_SIZE)])
    if services is not None:
        pages.state.services = services
    return pages


def _endpoint(turnstile: IpRateLimiter, page: Page, per_minute: int) -> Any:
    """A page within its rate, whose failures are pages too."""

    async def answer(request: Request) -> Response:
        services = getattr(request.app.state, "services", None)
        if services is None:
            return Response("Starting. Please try again in a moment.", 503)
        asked = PageRequest.of(request, services)
        what = getattr(page, "__name__", "page")
        wait = turnstile.wait_seconds(services, request.scope, what, per_minute)
        if not wait and request.method == "POST":
            wait = turnstile.wait_for(f"link {request.path_params['link']}", INTENTS_PER_MINUTE_AND_LINK)
        if wait:
            response = render_notice(asked, "many", 429, seconds=wait)
            response.headers["retry-after"] = str(wait)
            return response
        try:
            if request.method == "POST":
                request.state.form = await _read_form(request)
            return await anyio.to_thread.run_sync(page, asked)
        except NotFound:
            return render_notice(asked, "gone", 404)
        except (Unreachable, QuotesUnavailable):
            return render_notice(asked, "busy", 503)
        except ClientDisconnect:
            return Response(None, 400)
        except Exception:
            LOG.exception("a payer's page failed", page=what)
            return render_notice(asked, "busy", 500)

    return answer


async def _read_form(request: Request) -> dict[str, str]:
    """The fields of a form; one that is too long has none."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            return {}
    try:
        return dict(parse_qsl(body.decode("ascii"), max_num_fields=20))
    except ValueError:
        return {}


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in ASSETS:
        return Response("Not found", 404)
    return responses.immutable_file(responses.asset_body(name), ASSETS[name])


def _logo(asked: PageRequest) -> Response:
    look = branding.get_by_digest(asked.services, asked.request.path_params["digest"])
    return responses.immutable_file(look.logo, look.logo_type)


def _intent(asked: PageRequest) -> Response:
    name = asked.request.path_params["page"]
    seen = checkout.get_checkout(asked.services, name)
    page, brand = build_intent_page(asked, seen, name), page_brand(seen.merchant)
    title = f"{page.said} · {asked.t.plain('head.pay', merchant=brand.name)}"
    return render_page(asked, "intent.html", brand, title, page=page)


def _live(asked: PageRequest) -> Response:
    name = asked.request.path_params["page"]
    seen = checkout.get_checkout(asked.services, name)
    page = build_intent_page(asked, seen, name)
    if asked.request.query_params.get("version") == page.version:
        return responses.unchanged(page.now)
    return render_fragment(asked, "live.html", page_brand(seen.merchant), page.now, page=page)


def _link_page(asked: PageRequest) -> Response:
    door = checkout.get_checkout_link(asked.services, asked.request.path_params["link"])
    typed = asked.request.query_params.get("amount", "")[:_SIZE]
    asks = door.link.amount is None and not typed
    if door.closed_reason is not None or asks:
        return _render_link(asked, door, unpriced_page(asked, door))
    return _priced_link_page(asked, door, typed, None)


def _priced_link_page(asked: PageRequest, door: CheckoutLink, typed: str, failed: CheckoutError | None) -> Response:
    """The ways to pay an amount, and what was wrong with a form; the amount is asked for again
    where that is what was wrong."""
    form = getattr(asked.request.state, "form", {})
    try:
        units = checkout.parse_amount(door, typed)
    except CheckoutError as wrong:
        page = unpriced_page(asked, door)
        page.typed, page.wrong = typed[:40], asked.t(f"wrong.{wrong.reason}")
        return _render_link(asked, door, page, 422)
    found = checkout.list_payment_methods(asked.services, door, units)
    page = priced_page(asked, door, units, found, form.get("way", ""))
    page.refund = form.get("refund", "")[:128]
    if failed is not None:
        page.wrong = asked.t(f"wrong.{failed.reason}")
        page.wrong_field = _FIELDS.get(failed.reason, "way")
    return _render_link(asked, door, page, 422 if failed else 200)


def _pay(asked: PageRequest) -> Response:
    link = asked.request.path_params["link"]
    given = asked.request.state.form.get
    form = CheckoutForm(
        given("nonce", ""), given("amount", "")[:_SIZE], given("way", ""), given("refund", "")
    )
    door = checkout.get_checkout_link(asked.services, link)
    try:
        intent = checkout.pay_by_link(asked.services, link, form)
    except InvalidStatus:
        door = checkout.get_checkout_link(asked.services, link)
        return _render_link(asked, door, unpriced_page(asked, door), 409)
    except CheckoutError as failed:
        return _priced_link_page(asked, door, form.amount, failed)
    return redirect_to(asked.path(checkout.checkout_token(asked.services, intent.id)))


def _render_link(asked: PageRequest, door: CheckoutLink, page: LinkPage, status: int = 200) -> Response:
    brand = page_brand(door.merchant)
    title = f"{page.what} · {asked.t.plain('head.pay', merchant=brand.name)}"
    return render_page(asked, "link.html", brand, title, status, page=page)


def _poster(asked: PageRequest) -> Response:
    door = checkout.get_checkout_link(asked.services, asked.request.path_params["link"])
    page, brand = build_poster(asked, door), page_brand(door.merchant)
    return render_page(asked, "poster.html", brand, page.what, page=page)


def _not_found(asked: PageRequest) -> Response:
    raise NotFound("No such page")
