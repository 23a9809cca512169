"""The payer's pages as one ASGI application, mounted at `/pay`; without login and cookies."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import anyio.to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Scope

from crossway.domain.errors import NotFound, QuotesUnavailable, Unreachable
from crossway.domain.intent import State
from crossway.payer import responses
from crossway.payer.held_page import respond_held
from crossway.payer.intent_page import build_intent_page
from crossway.payer.invoice_page import BILLING_PAGES
from crossway.payer.kept_details import respond_file
from crossway.payer.link_responses import respond_link, respond_payment, respond_poster
from crossway.payer.receipt import build_receipt
from crossway.payer.responses import (
    ASSETS,
    PageRequest,
    page_brand,
    redirect_to,
    render_fragment,
    render_notice,
    render_page,
)
from crossway.payer.simulated_payment import respond_simulated
from crossway.payer.wallet_endpoints import (
    respond_balance,
    respond_signature_state,
    respond_signing,
    respond_transfer,
)
from crossway.payer.x402_page import Later, asks_for_x402
from crossway.ports.services import Services
from crossway.usecases.payers import branding, checkout
from crossway.usecases.payers.link_payments import (
    TooManyUnpaid,
    digest_address,
)
from crossway.web_pages.assets import immutable_file
from crossway.web_pages.forms import read_form

LOG = logging.getLogger("crossway.payer")
VIEWS_PER_MINUTE = 600
WALLETS_PER_MINUTE = 30
# Each asks the nodes of every chain for every token that can be paid there.
HOLDINGS_PER_MINUTE = 10
QUOTES_PER_MINUTE = 60
INTENTS_PER_MINUTE = 20
INTENTS_PER_MINUTE_AND_LINK = 120
_SIZE = 500
Page = Callable[[PageRequest], Response | Later]


class IpRateLimiter(Protocol):
    """Limits requests without an API key."""

    def wait_seconds(self, services: Services, scope: Scope, name: str, per_minute: int) -> int:
        """Count a request for `name` from the client's address; seconds to wait, 0 if granted."""
        ...

    def wait_for(self, name: str, per_minute: int) -> int:
        """Count a request for `name` from any address; seconds to wait, 0 if granted."""
        ...

    def find_address(self, services: Services, scope: Scope) -> str:
        """The client's address, as requests are counted; empty if it is unknown."""
        ...


def create_pages(rate_limiter: IpRateLimiter, services: Services | None = None) -> Starlette:
    """The pages; without services they respond 503 until `state.services` is set."""
    endpoint = partial(_endpoint, rate_limiter)
    routes = [
        Route("/assets/{name}", ASSETS.respond, methods=["GET"]),
        Route("/embed.js", _embed_script, methods=["GET"]),
        Route("/logo/{digest}", endpoint(_logo, VIEWS_PER_MINUTE), methods=["GET"]),
        Route("/l/{link}", endpoint(respond_link, QUOTES_PER_MINUTE), methods=["GET"]),
        Route("/l/{link}", endpoint(respond_payment, INTENTS_PER_MINUTE), methods=["POST"]),
        Route("/l/{link}/held", endpoint(respond_held, HOLDINGS_PER_MINUTE), methods=["POST"]),
        Route("/l/{link}/poster", endpoint(respond_poster, VIEWS_PER_MINUTE), methods=["GET"]),
        *(
            Route(path, endpoint(respond, VIEWS_PER_MINUTE), methods=["GET"])
            for path, respond in BILLING_PAGES.items()
        ),
        Route("/{page}", endpoint(_intent, VIEWS_PER_MINUTE), methods=["GET"]),
        Route("/{page}/live", endpoint(_live, VIEWS_PER_MINUTE), methods=["GET"]),
        Route("/{page}/sheet", endpoint(_sheet, VIEWS_PER_MINUTE), methods=["GET"]),
        Route("/{page}/receipt", endpoint(_receipt, VIEWS_PER_MINUTE), methods=["GET"]),
        Route(
            "/{page}/simulate", endpoint(respond_simulated, WALLETS_PER_MINUTE), methods=["POST"]
        ),
        Route("/{page}/details.json", endpoint(_details, VIEWS_PER_MINUTE), methods=["GET"]),
        Route("/{page}/balance", endpoint(respond_balance, WALLETS_PER_MINUTE), methods=["POST"]),
        Route("/{page}/transfer", endpoint(respond_transfer, WALLETS_PER_MINUTE), methods=["POST"]),
        Route("/{page}/sign", endpoint(respond_signing, WALLETS_PER_MINUTE), methods=["POST"]),
        Route("/{page}/sign", endpoint(respond_signature_state, VIEWS_PER_MINUTE), methods=["GET"]),
        Route("/{rest:path}", endpoint(_not_found, VIEWS_PER_MINUTE), methods=["GET"]),
    ]
    pages = Starlette(routes=routes, middleware=[Middleware(GZipMiddleware, minimum_size=_SIZE)])
    if services is not None:
        pages.state.services = services
    return pages


def _endpoint(rate_limiter: IpRateLimiter, page: Page, per_minute: int) -> Any:
    """A rate-limited page whose errors are pages too."""

    async def endpoint(request: Request) -> Response:
        services = getattr(request.app.state, "services", None)
        if services is None:
            return Response("Starting. Please try again in a moment.", 503)
        page_request = PageRequest.parse(request, services)
        page_name = getattr(page, "__name__", "page")
        if wait := _count(rate_limiter, page_request, page, per_minute):
            return _too_many(page_request, wait)
        address = rate_limiter.find_address(services, request.scope)
        request.state.payer = digest_address(services, address)
        try:
            if request.method == "POST":
                request.state.form = await read_form(request)
            answer = await anyio.to_thread.run_sync(page, page_request)
            return answer if isinstance(answer, Response) else await answer()
        except NotFound:
            return render_notice(page_request, "gone", 404)
        except TooManyUnpaid as error:
            return _too_many(page_request, error.wait_seconds)
        except (Unreachable, QuotesUnavailable):
            return render_notice(page_request, "busy", 503)
        except ClientDisconnect:
            return Response(None, 400)
        except Exception:
            LOG.exception("a payer's page error", extra={"fields": {"page": page_name}})
            return render_notice(page_request, "busy", 500)

    return endpoint


def _count(
    rate_limiter: IpRateLimiter, page_request: PageRequest, page: Page, per_minute: int
) -> int:
    """Count a request; seconds to wait, 0 if it is granted. A program that asks a link for x402
    makes a payment, as its form does."""
    services, request = page_request.services, page_request.request
    name, makes_payment = getattr(page, "__name__", "page"), request.method == "POST"
    if page is respond_link and asks_for_x402(request):
        name, per_minute, makes_payment = "x402", WALLETS_PER_MINUTE, True
    wait = rate_limiter.wait_seconds(services, request.scope, name, per_minute)
    if not wait and makes_payment and (link := request.path_params.get("link")):
        wait = rate_limiter.wait_for(f"{name} link {link}", INTENTS_PER_MINUTE_AND_LINK)
    return wait


def _too_many(page_request: PageRequest, wait_seconds: int) -> Response:
    response = render_notice(page_request, "many", 429, seconds=wait_seconds)
    response.headers["retry-after"] = str(wait_seconds)
    return response


async def _embed_script(request: Request) -> Response:
    """The script for shops that embed a page. Its URL stays the same, so it is not kept long."""
    headers = {
        "cache-control": "public, max-age=3600",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "cross-origin",
    }
    return Response(ASSETS.body("embed.js"), 200, headers, "text/javascript")


def _logo(page_request: PageRequest) -> Response:
    branding_file = branding.get_by_digest(
        page_request.services, page_request.request.path_params["digest"]
    )
    return immutable_file(branding_file.logo, branding_file.logo_type)


def _intent(page_request: PageRequest) -> Response:
    return _render_intent(page_request, "intent.html")


def _sheet(page_request: PageRequest) -> Response:
    """The payment on one sheet of paper, while it can be paid; after that its page."""
    return _render_intent(page_request, "sheet.html")


def _render_intent(page_request: PageRequest, template: str) -> Response:
    name = page_request.request.path_params["page"]
    view = checkout.get_checkout(page_request.services, name)
    page, brand = build_intent_page(page_request, view, name), page_brand(view.merchant)
    title = f"{page.status_text} · {page_request.t.plain('head.pay', merchant=brand.name)}"
    template = template if page.open else "intent.html"
    return render_page(page_request, template, brand, title, page=page)


def _receipt(page_request: PageRequest) -> Response:
    """The receipt, once the payment has ended; until then its page."""
    name = page_request.request.path_params["page"]
    view = checkout.get_checkout(page_request.services, name)
    receipt, brand = build_receipt(page_request, view, name), page_brand(view.merchant)
    if receipt is None:
        return redirect_to(page_request.path(name))
    paid = view.intent.state is State.COMPLETED
    title = f"{receipt.title} · {brand.name}"
    return render_page(page_request, "receipt.html", brand, title, receipt=receipt, paid=paid)


def _live(page_request: PageRequest) -> Response:
    name = page_request.request.path_params["page"]
    view = checkout.get_checkout(page_request.services, name)
    page = build_intent_page(page_request, view, name)
    if page_request.request.query_params.get("version") == page.version:
        return responses.unchanged(page.now)
    return render_fragment(
        page_request, "live.html", page_brand(view.merchant), page.now, page=page
    )


def _details(page_request: PageRequest) -> Response:
    view = checkout.get_checkout(page_request.services, page_request.request.path_params["page"])
    return respond_file(view.intent, view.self_service)


def _not_found(page_request: PageRequest) -> Response:
    raise NotFound("No such page")
