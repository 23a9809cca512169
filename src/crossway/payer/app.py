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

from crossway.domain.errors import NotFound, QuotesUnavailable, Unreachable, WrongState
from crossway.payer import answers
from crossway.payer.answers import ASSETS, Asked, brand_of, drawn, fragment, moved_to, notice
from crossway.payer.intent_page import intent_page
from crossway.payer.link_page import LinkPage, bare_page, poster, priced_page
from crossway.ports.services import Services
from crossway.usecases.payers import looks, paying
from crossway.usecases.payers.paying import CannotPay, Entrance, Form

LOG = structlog.get_logger("crossway.payer")
LOOKS_PER_MINUTE = 600
QUOTES_PER_MINUTE = 60
MADE_PER_MINUTE = 20
MADE_PER_LINK = 120
MOST_FORM_BYTES = 16 * 1024
_FIELDS = {"amount": "amount", "low": "amount", "high": "amount", "refund": "refund"}
_SIZE = 500
Page = Callable[[Asked], Response]


class Turnstile(Protocol):
    """Counts what comes without a key."""

    def wait_seconds(self, services: Services, scope: Scope, what: str, per_minute: int) -> int:
        """Count one more of `what` from where a request comes; how long to wait, zero when it may
        go on."""
        ...

    def wait_for(self, name: str, per_minute: int) -> int:
        """The same for something that has a name, from wherever it comes."""
        ...


def create_pages(turnstile: Turnstile, services: Services | None = None) -> Starlette:
    """The pages; without services they answer 503 until `state.services` is set."""
    answer = partial(_answered, turnstile)
    routes = [
        Route("/assets/{name}", _asset, methods=["GET"]),
        Route("/logo/{digest}", answer(_logo, LOOKS_PER_MINUTE), methods=["GET"]),
        Route("/l/{link}", answer(_entrance, QUOTES_PER_MINUTE), methods=["GET"]),
        Route("/l/{link}", answer(_pay, MADE_PER_MINUTE), methods=["POST"]),
        Route("/l/{link}/poster", answer(_poster, LOOKS_PER_MINUTE), methods=["GET"]),
        Route("/{page}", answer(_intent, LOOKS_PER_MINUTE), methods=["GET"]),
        Route("/{page}/live", answer(_live, LOOKS_PER_MINUTE), methods=["GET"]),
        Route("/{rest:path}", answer(_nowhere, LOOKS_PER_MINUTE), methods=["GET"]),
    ]
    pages = Starlette(routes=routes, middleware=[Middleware(GZipMiddleware, minimum_size=_SIZE)])
    if services is not None:
        pages.state.services = services
    return pages


def _answered(turnstile: Turnstile, page: Page, per_minute: int) -> Any:
    """A page within its rate, whose failures are pages too."""

    async def answer(request: Request) -> Response:
        services = getattr(request.app.state, "services", None)
        if services is None:
            return Response("Starting. Please try again in a moment.", 503)
        asked = Asked.of(request, services)
        what = getattr(page, "__name__", "page")
        wait = turnstile.wait_seconds(services, request.scope, what, per_minute)
        if not wait and request.method == "POST":
            wait = turnstile.wait_for(f"link {request.path_params['link']}", MADE_PER_LINK)
        if wait:
            response = notice(asked, "many", 429, seconds=wait)
            response.headers["retry-after"] = str(wait)
            return response
        try:
            if request.method == "POST":
                request.state.form = await _form(request)
            return await anyio.to_thread.run_sync(page, asked)
        except NotFound:
            return notice(asked, "gone", 404)
        except (Unreachable, QuotesUnavailable):
            return notice(asked, "busy", 503)
        except ClientDisconnect:
            return Response(None, 400)
        except Exception:
            LOG.exception("a payer's page failed", page=what)
            return notice(asked, "busy", 500)

    return answer


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form; one that is too long has none."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_FORM_BYTES:
            return {}
    try:
        return dict(parse_qsl(body.decode("ascii"), max_num_fields=20))
    except ValueError:
        return {}


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in ASSETS:
        return Response("Not found", 404)
    return answers.kept_long(answers.asset_body(name), ASSETS[name])


def _logo(asked: Asked) -> Response:
    look = looks.by_digest(asked.services, asked.request.path_params["digest"])
    return answers.kept_long(look.picture, look.picture_type)


def _intent(asked: Asked) -> Response:
    name = asked.request.path_params["page"]
    seen = paying.page_of(asked.services, name)
    page, brand = intent_page(asked, seen, name), brand_of(seen.merchant)
    title = f"{page.said} · {asked.t.plain('head.pay', merchant=brand.name)}"
    return drawn(asked, "intent.html", brand, title, page=page)


def _live(asked: Asked) -> Response:
    name = asked.request.path_params["page"]
    seen = paying.page_of(asked.services, name)
    page = intent_page(asked, seen, name)
    if asked.request.query_params.get("version") == page.version:
        return answers.nothing_new(page.now)
    return fragment(asked, "live.html", brand_of(seen.merchant), page.now, page=page)


def _entrance(asked: Asked) -> Response:
    door = paying.entrance(asked.services, asked.request.path_params["link"])
    typed = asked.request.query_params.get("amount", "")[:_SIZE]
    asks = door.link.amount_units is None and not typed
    if door.closed is not None or asks:
        return _link(asked, door, bare_page(asked, door))
    return _priced(asked, door, typed, None)


def _priced(asked: Asked, door: Entrance, typed: str, failed: CannotPay | None) -> Response:
    """The ways to pay an amount, and what was wrong with a form; the amount is asked for again
    where that is what was wrong."""
    form = getattr(asked.request.state, "form", {})
    try:
        units = paying.amount_of(door, typed)
    except CannotPay as wrong:
        page = bare_page(asked, door)
        page.typed, page.wrong = typed[:40], asked.t(f"wrong.{wrong.why}")
        return _link(asked, door, page, 422)
    found = paying.choices(asked.services, door, units)
    page = priced_page(asked, door, units, found, form.get("way", ""))
    page.refund = form.get("refund", "")[:128]
    if failed is not None:
        page.wrong = asked.t(f"wrong.{failed.why}")
        page.wrong_field = _FIELDS.get(failed.why, "way")
    return _link(asked, door, page, 422 if failed else 200)


def _pay(asked: Asked) -> Response:
    link = asked.request.path_params["link"]
    given = asked.request.state.form.get
    form = Form(
        given("nonce", ""), given("amount", "")[:_SIZE], given("way", ""), given("refund", "")
    )
    door = paying.entrance(asked.services, link)
    try:
        intent = paying.pay(asked.services, link, form)
    except WrongState:
        door = paying.entrance(asked.services, link)
        return _link(asked, door, bare_page(asked, door), 409)
    except CannotPay as failed:
        return _priced(asked, door, form.amount, failed)
    return moved_to(asked.path(paying.page_name(asked.services, intent.id)))


def _link(asked: Asked, door: Entrance, page: LinkPage, status: int = 200) -> Response:
    brand = brand_of(door.merchant)
    title = f"{page.what} · {asked.t.plain('head.pay', merchant=brand.name)}"
    return drawn(asked, "link.html", brand, title, status, page=page)


def _poster(asked: Asked) -> Response:
    door = paying.entrance(asked.services, asked.request.path_params["link"])
    page, brand = poster(asked, door), brand_of(door.merchant)
    return drawn(asked, "poster.html", brand, page.what, page=page)


def _nowhere(asked: Asked) -> Response:
    raise NotFound("No such page")
