"""The cookie by which a browser that is loaded anew stays signed in, and the route that sets it.

The token itself goes to no page and into no URL: the page gets a ticket, good for one time and a
minute, and the browser changes it for a cookie that no script can read.
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
_MOST_BYTES = 200
_GIVEN = "cookie_ticket"
_tickets: dict[str, tuple[str, float]] = {}


def brought() -> str:
    """The token that the browser brought along when it opened this session; empty without one."""
    found = st.context.cookies.get(NAME)
    return found if isinstance(found, str) else ""


def give(token: str) -> None:
    """Let the browser fetch the cookie of a token when the next screen is drawn."""
    for old in [ticket for ticket, (_, until) in _tickets.items() if until < time.monotonic()]:
        _tickets.pop(old, None)
    ticket = secrets.token_hex(32)
    _tickets[ticket] = token, time.monotonic() + TICKET_SECONDS
    st.session_state[_GIVEN] = ticket


def waiting() -> str:
    """The ticket that this session's browser is still to change; empty when there is none."""
    ticket: str = st.session_state.get(_GIVEN, "")
    return ticket if ticket in _tickets else ""


async def _keep(request: Request) -> Response:
    """Change a ticket for its cookie."""
    if not _of_this_site(request):
        return Response(status_code=403)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MOST_BYTES:
            return Response(status_code=403)
    known = _tickets.pop(body.decode(errors="replace"), None)
    if known is None or known[1] < time.monotonic():
        return Response(status_code=403)
    answer = Response(status_code=204)
    answer.set_cookie(
        NAME, known[0], httponly=True, samesite="strict", secure=_is_encrypted(request), path="/"
    )
    return answer


async def _drop(request: Request) -> Response:
    if not _of_this_site(request):
        return Response(status_code=403)
    answer = Response(status_code=204)
    answer.delete_cookie(NAME, httponly=True, samesite="strict", path="/")
    return answer


def routes() -> list[Route]:
    """Where a browser fetches its cookie and gives it back."""
    return [Route(PATH, _keep, methods=["POST"]), Route(PATH, _drop, methods=["DELETE"])]


def _of_this_site(request: Request) -> bool:
    """Whether a page of ours asks, and not one of another site through somebody's browser."""
    if (said := request.headers.get("sec-fetch-site")) is not None:
        return said == "same-origin"
    origin = request.headers.get("origin", "")
    return origin.partition("://")[2] == request.headers.get("host", "")


def _is_encrypted(request: Request) -> bool:
    forwarded = request.headers.get("x-forwarded-proto", "")
    return request.url.scheme == "https" or forwarded.partition(",")[0].strip() == "https"
