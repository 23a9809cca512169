"""How a sign-in request is limited, handled outside the event loop, and refused."""

import inspect
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final, cast

from anyio.to_thread import run_sync
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from crossway.domain.errors import (
    DomainError,
    InvalidInput,
    StorageUnavailable,
    TooManyRequests,
    Unauthorized,
)
from crossway.sign_in.pages import HEADERS, as_sentence, build_page, render
from crossway.sign_in.visit import SignInSite, Visit
from crossway.usecases.staff.login_throttle import TooManyTriesForName
from crossway.web_pages.forms import read_form

VIEWS_PER_MINUTE: Final = 120
TRIES_PER_MINUTE: Final = 30
_LOG: Final = logging.getLogger("crossway.sign_in")
_BUSY: Final = "Crossway cannot do this now: try again in a moment."
Handler = Callable[[Visit], Response] | Callable[[Visit], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]
Refuse = Callable[[Visit, DomainError], Response]


def page_endpoint(site: SignInSite, handler: Handler, per_minute: int) -> Endpoint:
    """An endpoint that browsers open, or send a form to: it is refused with the page again."""
    return _endpoint(site, handler, per_minute, _refuse_with_page)


def script_endpoint(site: SignInSite, handler: Handler, per_minute: int) -> Endpoint:
    """An endpoint that our own script calls: it is refused with a sentence as JSON."""
    return _endpoint(site, handler, per_minute, _refuse_with_sentence)


def _endpoint(site: SignInSite, handler: Handler, per_minute: int, refuse: Refuse) -> Endpoint:
    name = f"{handler.__module__}.{getattr(handler, '__name__', '')}"

    async def endpoint(request: Request) -> Response:
        visit = Visit(site, request)
        try:
            seconds = site.wait_seconds(request.scope, name, per_minute)
            if seconds:
                return _too_many(seconds)
            if request.method == "POST":
                visit = Visit(site, request, await read_form(request))
            try:
                return await _handle(visit, handler)
            except DomainError as error:
                return await run_sync(refuse, visit, error, limiter=site.threads)
        except ClientDisconnect:
            return Response(None, 400)
        except Exception as error:
            if not isinstance(error, StorageUnavailable):
                _LOG.exception("a sign-in page error", extra={"fields": {"page": name}})
            return PlainTextResponse(_BUSY, 503, HEADERS)

    return endpoint


async def _handle(visit: Visit, handler: Handler) -> Response:
    if inspect.iscoroutinefunction(handler):
        answer: Response = await handler(visit)
        return answer
    sync = cast(Callable[[Visit], Response], handler)
    return await run_sync(sync, visit, limiter=visit.site.threads)


def _refuse_with_page(visit: Visit, error: DomainError) -> Response:
    page = replace(
        build_page(visit),
        error=as_sentence(error),
        note="",
        asks_recovery_code=isinstance(error, TooManyTriesForName),
    )
    if not page.name:
        page = replace(page, name=visit.form.get("name", ""))
    return render(visit, page, _status(error))


def _refuse_with_sentence(_: Visit, error: DomainError) -> Response:
    return JSONResponse({"error": as_sentence(error)}, _status(error), HEADERS)


def _too_many(seconds: int) -> Response:
    text = f"Too many requests from your address: wait {seconds} seconds, then try again."
    return PlainTextResponse(text, 429, {**HEADERS, "retry-after": str(seconds)})


def _status(error: DomainError) -> int:
    if isinstance(error, TooManyRequests):
        return 429
    if isinstance(error, Unauthorized):
        return 401
    return 422 if isinstance(error, InvalidInput) else 409
