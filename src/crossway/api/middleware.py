"""Middlewares around every request: request id, logging, unhandled errors, body limit."""

import re
import secrets
from types import MappingProxyType
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crossway.api.client_ip import header
from crossway.api.errors import error_response, unhandled_error
from crossway.api.request_logging import MAX_LOGGED_BODY_BYTES, ResponseRecord, record_request
from crossway.ports import tracing

MAX_BODY_BYTES = 64 * 1024
# Paths with another limit; a KYC document is uploaded as the body itself.
BODY_LIMIT_BY_PATH: Final = MappingProxyType({"/v1/ramp/kyc/documents": 5 * 1024 * 1024})
_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}\Z")


class RequestContextMiddleware:
    """Sets the request id, responds to unhandled errors and records the finished request.

    Inner middlewares add response headers through `scope["state"]["headers"]`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        sent_id = header(scope, b"x-request-id")
        request_id = sent_id if sent_id and _ID.match(sent_id) else secrets.token_hex(12).encode()
        extra = [(b"x-request-id", request_id)]
        scope.pop("route", None)  # Set by the outer mount.
        state = scope["state"] = {"request_id": request_id.decode(), "headers": extra}
        tracing.set_context(request_id=state["request_id"])
        response = ResponseRecord()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                response.status = message["status"]
                message["headers"] = [*message.get("headers", ()), *extra]
            elif response.logs_body(scope) and len(response.body) < MAX_LOGGED_BODY_BYTES:
                response.body += message.get("body", b"")
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except Exception as error:
            last_resort = unhandled_error(scope, error)
            if not response.status:
                await last_resort(scope, receive, send_with_headers)
        finally:
            record_request(scope, response)


class BodyLimitMiddleware:
    """Reads the whole body before the endpoint runs; responds 413 when it is too long."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self.app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        max_bytes = BODY_LIMIT_BY_PATH.get(path, MAX_BODY_BYTES)
        body = await _read_body(receive, max_bytes)
        if body is None:
            text = f"The request body is longer than {_format_size(max_bytes)}"
            response = error_response(413, text, {"connection": "close"})
            await response(scope, receive, send)
            return
        scope["state"]["body"] = body
        pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return pending.pop() if pending else await receive()

        await self.app(scope, replay, send)


def _format_size(length: int) -> str:
    """A number of bytes as KiB or MiB."""
    mebibytes, rest = divmod(length, 1024 * 1024)
    return f"{length // 1024} KiB" if rest else f"{mebibytes} MiB"


async def _read_body(receive: Receive, max_bytes: int) -> bytes | None:
    """The whole body; None as soon as it exceeds `max_bytes`."""
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(chunks)
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > max_bytes:
            return None
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)
