"""The records that the palette finds while somebody types, as JSON for signed-in staff."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Final

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from crossway.dashboard import push, session
from crossway.dashboard.downloads import find_principal
from crossway.dashboard.views import alerts, palette_entries
from crossway.dashboard.views.cells import Row
from crossway.dashboard.views.clients import client_names
from crossway.domain.clients import Mode, Principal
from crossway.ports.services import Services
from crossway.ports.topics import Topic
from crossway.usecases.staff import sessions

# People type at the same time: so many searches run, so many wait, and more are refused.
MAX_RUNNING: Final = 2
MAX_WAITING: Final = 50
MAX_BODY_BYTES: Final = 4_000
_HEADERS: Final = {"Cache-Control": "no-store"}
_running = anyio.CapacityLimiter(MAX_RUNNING)


def routes() -> list[Route]:
    """`POST /find` with a text and a mode; a text may be personal, and addresses are logged."""
    return [Route("/find", _find, methods=["POST"])]


async def _find(request: Request) -> Response:
    services = session.services()
    token = request.cookies.get(sessions.COOKIE, "")
    caller = await run_in_threadpool(find_principal, services, token)
    if caller is None:
        return _refuse(401, "Sign in first: open the dashboard")
    if _running.statistics().tasks_waiting >= MAX_WAITING:
        return _refuse(503, "Too many searches are running: try again in a moment")
    try:
        text, mode = _parse(await _read_body(request))
    except ValueError as error:
        return _refuse(400, str(error))
    caller = replace(caller, mode=mode)
    found = await anyio.to_thread.run_sync(_search, services, caller, text, limiter=_running)
    return JSONResponse({"found": found}, headers=_HEADERS)


def _search(services: Services, caller: Principal, text: str) -> list[dict[str, Any]]:
    rows = push.cached("palette alerts", lambda: _alert_rows(services, caller), (Topic.ALERTS,))
    return [asdict(entry) for entry in palette_entries.find_records(services, caller, text, rows)]


def _alert_rows(services: Services, caller: Principal) -> Sequence[Row]:
    found = alerts.list_active(services, caller, None)
    return alerts.build_active_rows(services, found, client_names(services))


async def _read_body(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise ValueError("The text is too long")
    return body


def _parse(body: bytes) -> tuple[str, Mode]:
    """The text and the mode of a request. Raises `ValueError` with the reason."""
    try:
        asked = json.loads(body)
        text, mode = asked["text"], Mode(asked["mode"])
    except (ValueError, KeyError, TypeError):
        raise ValueError("Send a text and a mode as JSON") from None
    if not isinstance(text, str) or len(text) > palette_entries.MAX_TEXT:
        raise ValueError(f"The text must have at most {palette_entries.MAX_TEXT} characters")
    return text, mode


def _refuse(status: int, reason: str) -> Response:
    return JSONResponse({"error": reason}, status_code=status, headers=_HEADERS)
