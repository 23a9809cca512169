"""Middlewares around every request: its id, unhandled errors, the body limit, and its record in
the log, the metrics and the request log."""

import logging
import re
import secrets
import time
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from starlette.requests import ClientDisconnect
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crossway.api.errors import error_response, unhandled_error
from crossway.api.metrics import RequestMetrics
from crossway.api.openapi.deprecation import find_deprecation
from crossway.api.raw_headers import header_value
from crossway.domain.clients import Principal
from crossway.domain.error_codes import ErrorCode
from crossway.ports import process
from crossway.ports.process import RequestLogEntry
from crossway.ports.services import Services

LOG = logging.getLogger("crossway.requests")
MAX_BODY_BYTES = 64 * 1024
# Paths with another limit; a KYC document is uploaded as the body itself.
BODY_LIMIT_BY_PATH: Final = MappingProxyType(
    {"/v1/ramp/kyc/documents": 5 * 1024 * 1024, "/v1/intents/batch": 1024 * 1024}
)
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")
MAX_LOGGED_BODY_BYTES = 16 * 1024
UNKNOWN_PATH = "(no such path)"
# Monitoring requests these every few seconds; successes are logged at debug level.
_PROBE_PATHS = frozenset({"/healthz", "/readyz", "/metrics"})
_READ_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_KNOWN_METHODS = _READ_METHODS | {"POST", "PUT", "PATCH", "DELETE"}


@dataclass
class ResponseRecord:
    """The response to one request as it is sent.

    `logs_bodies`: whether the bodies go to the request log; those of writes and failures do.
    """

    logs_bodies: bool
    status: int = 0
    body: bytes = b""
    started: float = field(default_factory=time.monotonic)


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
        request_id = header_value(scope, b"x-request-id") or ""
        if not _ID.match(request_id):
            request_id = secrets.token_hex(12)
        extra = [(b"x-request-id", request_id.encode())]
        scope.pop("route", None)  # Set by the outer mount.
        scope["state"] = {"request_id": request_id, "headers": extra}
        process.LOG_IDS.set({"request_id": request_id})
        response = ResponseRecord(logs_bodies=scope["method"] not in _READ_METHODS)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                response.status = message["status"]
                response.logs_bodies |= response.status >= 400
                deprecation = find_deprecation(scope.get("endpoint"))
                deprecated = deprecation.headers() if deprecation else ()
                message["headers"] = [*message.get("headers", ()), *extra, *deprecated]
            elif response.logs_bodies and len(response.body) < MAX_LOGGED_BODY_BYTES:
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
    """Reads the whole body before the endpoint runs; responds 413 when it is too long.

    Endpoints read it from `request.state.body`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self.app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        max_bytes = BODY_LIMIT_BY_PATH.get(path, MAX_BODY_BYTES)
        try:
            body = await _read_body(receive, max_bytes)
        except ClientDisconnect:
            # Nobody reads this response. What was cut off leaves nothing: no work, and no stored
            # response under its idempotency key for another body than the client has sent.
            response = error_response(400, "The request was cut off", ErrorCode.BODY_INVALID)
            await response(scope, receive, send)
            return
        if body is None:
            text = f"The request body is longer than {_format_size(max_bytes)}"
            headers = {"connection": "close"}
            response = error_response(413, text, ErrorCode.BODY_TOO_LARGE, headers)
            await response(scope, receive, send)
            return
        scope["state"]["body"] = body
        await self.app(scope, receive, send)


def _format_size(length: int) -> str:
    """A number of bytes as KiB or MiB."""
    mebibytes, rest = divmod(length, 1024 * 1024)
    return f"{length // 1024} KiB" if rest else f"{mebibytes} MiB"


async def _read_body(receive: Receive, max_bytes: int) -> bytes | None:
    """The whole body; None as soon as it exceeds `max_bytes`. Raises `ClientDisconnect`."""
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > max_bytes:
            return None
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)


def record_request(scope: Scope, response: ResponseRecord) -> None:
    """Write the log line, count the request in the metrics and queue its request log entry.

    The line names the route template; it has no IP address, query, header or body.
    """
    entry = _build_log_entry(scope, response)
    method, path, status = entry.method, entry.path, entry.status
    fields = {
        "method": method,
        "path": path,
        "status": status,
        "ms": round(entry.microseconds / 1_000, 1),
        "key": entry.key_prefix,
        "client": entry.client_id,
    }
    is_probe = path in _PROBE_PATHS and status < 400
    LOG.log(logging.DEBUG if is_probe else logging.INFO, "request", extra={"fields": fields})
    metrics: RequestMetrics = scope["app"].state.metrics
    metrics.record(path, method, status, entry.microseconds / 1_000_000)
    services: Services | None = getattr(scope["app"].state, "services", None)
    # Rate-limited requests without a valid key are left out, so that nobody can flood the log.
    is_logged = entry.client_id is not None or (path.startswith("/v1/") and status != 429)
    if services is not None and is_logged:
        services.process.request_log.add(entry)


def _build_log_entry(scope: Scope, response: ResponseRecord) -> RequestLogEntry:
    state = scope["state"]
    caller: Principal | None = state.get("caller")
    return RequestLogEntry(
        at=response.started,
        request_id=state["request_id"],
        method=scope["method"] if scope["method"] in _KNOWN_METHODS else "OTHER",
        path=route_template(scope),
        status=response.status,
        microseconds=int((time.monotonic() - response.started) * 1_000_000),
        client_id=caller.client.id if caller else None,
        key_prefix=caller.key.display_prefix if caller and caller.key else None,
        request_body=state.get("body", b"") if response.logs_bodies else None,
        response_body=response.body if response.logs_bodies else None,
        intent_id=process.LOG_IDS.get({}).get("intent"),
        mode=caller.mode if caller else None,
    )


def route_template(scope: Scope) -> str:
    """The path template of the route that matches this request."""
    route = scope.get("route")
    if route is None:
        # A middleware responded before the router ran.
        routes = scope["app"].router.routes
        route = next((r for r in routes if r.matches(scope)[0] is not Match.NONE), None)
    return str(getattr(route, "path", UNKNOWN_PATH))
