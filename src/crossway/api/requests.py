"""Around every request: its id, its line in the log, its body limit, its last resort."""

import re
import secrets
import time
from types import MappingProxyType
from typing import Final

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crossway.api.errors import plain, unhandled
from crossway.domain.clients import Caller

LOG = structlog.get_logger("crossway.requests")
MAX_BODY_BYTES = 64 * 1024
# Where a longer body is expected: a document is a file as it is.
LONG_BODIES: Final = MappingProxyType({"/v1/ramp/kyc/documents": 5 * 1024 * 1024})
_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}\Z")


def header(scope: Scope, name: bytes) -> bytes | None:
    """The first header of this lower-case name."""
    for key, value in scope["headers"]:
        if key == name:
            return bytes(value)
    return None


class Requests:
    """Gives each request its id, answers what nobody else could, and writes one line about it.

    Inner parts add header fields to the answer through `scope["state"]["headers"]`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = header(scope, b"x-request-id")
        request_id = given if given and _ID.match(given) else secrets.token_hex(12).encode()
        extra = [(b"x-request-id", request_id)]
        state = scope["state"] = {"request_id": request_id.decode(), "headers": extra}
        started, status = time.perf_counter(), 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *extra]
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except Exception as error:
            answer = unhandled(scope, error)
            if not status:
                await answer(scope, receive, send_with_headers)
        finally:
            _write_line(scope, state, status, time.perf_counter() - started)


def _write_line(scope: Scope, state: dict[str, object], status: int, seconds: float) -> None:
    """One line a request: no query, no header, no body, so no secret and no personal datum."""
    caller = state.get("caller")
    client = caller.client.id if isinstance(caller, Caller) else None
    LOG.info(
        "request",
        request_id=state["request_id"],
        method=scope["method"],
        path=scope["path"],
        status=status,
        ms=round(seconds * 1000, 1),
        client=client,
    )


class Bodies:
    """Reads a whole body before the work begins and refuses one that is too long."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self.app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        most = LONG_BODIES.get(path, MAX_BODY_BYTES)
        body = await _read(receive, most)
        if body is None:
            text = f"The request body is longer than {_size(most)}"
            refusal = plain(413, text, {"connection": "close"})
            await refusal(scope, receive, send)
            return
        scope["state"]["body"] = body
        pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return pending.pop() if pending else await receive()

        await self.app(scope, replay, send)


def _size(length: int) -> str:
    """A limit for people."""
    mebibytes, rest = divmod(length, 1024 * 1024)
    return f"{length // 1024} KiB" if rest else f"{mebibytes} MiB"


async def _read(receive: Receive, most: int) -> bytes | None:
    """The whole body, or None as soon as it is too long."""
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(chunks)
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > most:
            return None
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)
