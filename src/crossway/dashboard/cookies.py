"""The cookie that keeps a reloaded browser signed in, and the routes that set and delete it.

The staff token never appears in a page or a URL: the page receives a single-use ticket that is
valid for a minute, and the browser exchanges it for an HttpOnly cookie.
"""

import secrets
import time
from typing import Final

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

NAME: Final = "crossway_session"
PATH: Final = "/session"
TICKET_SECONDS: Final = 60.0
_MAX_BYTES = 200
_TICKET = "cookie_ticket"
_tickets: dict[str, tuple[str, float]] = {}


def read_token() -> str:
    """The token in the browser's cookie; empty without one."""
    token = st.context.cookies.get(NAME)
    return token if isinstance(token, str) else ""


def issue_ticket(token: str) -> None:
    """Issue a ticket that the browser exchanges for a cookie when the next page is drawn."""
    now = time.monotonic()
    for expired in [ticket for ticket, (_, expires_at) in _tickets.items() if expires_at < now]:
        _tickets.pop(expired, None)
    ticket = secrets.token_hex(32)
    _tickets[ticket] = token, time.monotonic() + TICKET_SECONDS
    st.session_state[_TICKET] = ticket


def pending_ticket() -> str:
    """The ticket that this session's browser has not exchanged yet; empty without one."""
    ticket: str = st.session_state.get(_TICKET, "")
    return ticket if ticket in _tickets else ""


async def _set_cookie(request: Request) -> Response:
    """Exchange a ticket for its cookie."""
    if not _is_same_origin(request):
        return Response(status_code=403)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MAX_BYTES:
            return Response(status_code=403)
    issued = _tickets.pop(body.decode(errors="replace"), None)
    if issued is None or issued[1] < time.monotonic():
        return Response(status_code=403)
    response = Response(status_code=204)
    response.set_cookie(
        NAME, issued[0], httponly=True, samesite="strict", secure=_is_encrypted(request), path="/"
    )
    return response


async def _delete_cookie(request: Request) -> Response:
    if not _is_same_origin(request):
        return Response(status_code=403)
    response = Response(status_code=204)
    response.delete_cookie(NAME, httponly=True, samesite="strict", path="/")
    return response


def routes() -> list[Route]:
    """The routes at which a browser obtains and deletes its cookie."""
    return [
        Route(PATH, _set_cookie, methods=["POST"]),
        Route(PATH, _delete_cookie, methods=["DELETE"]),
    ]


def _is_same_origin(request: Request) -> bool:
    """Whether the request comes from one of our own pages."""
    if (site := request.headers.get("sec-fetch-site")) is not None:
        return site == "same-origin"
    origin = request.headers.get("origin", "")
    return origin.partition("://")[2] == request.headers.get("host", "")


def _is_encrypted(request: Request) -> bool:
    forwarded = request.headers.get("x-forwarded-proto", "")
    return request.url.scheme == "https" or forwarded.partition(",")[0].strip() == "https"
