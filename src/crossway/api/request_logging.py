"""Logging of a finished request: a log line, a count in the metrics, a request log entry."""

import time
from dataclasses import dataclass, field

import structlog
from starlette.routing import Match
from starlette.types import Scope

from crossway.domain.clients import Principal
from crossway.ports import tracing
from crossway.ports.process import RequestLogEntry
from crossway.usecases.developers import request_log

LOG = structlog.get_logger("crossway.requests")
MAX_LOGGED_BODY_BYTES = 16 * 1024
UNKNOWN_PATH = "(no such path)"
# Monitoring requests these every few seconds; successes are logged at debug level.
_PROBE_PATHS = frozenset({"/healthz", "/readyz", "/metrics"})
_READ_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_KNOWN_METHODS = _READ_METHODS | {"POST", "PUT", "PATCH", "DELETE"}


@dataclass
class ResponseRecord:
    """The response to one request as it is sent; the body is kept for writes and failures only."""

    status: int = 0
    body: bytes = b""
    started: float = field(default_factory=time.monotonic)

    def logs_body(self, scope: Scope) -> bool:
        """Whether the bodies of this request go to the request log."""
        return self.status >= 400 or scope["method"] not in _READ_METHODS


def record_request(scope: Scope, response: ResponseRecord) -> None:
    """Write the log line, count the request in the metrics and enqueue its request log entry.

    The line names the route template; it has no IP address, query, header or body.
    """
    seconds = time.monotonic() - response.started
    method = scope["method"] if scope["method"] in _KNOWN_METHODS else "OTHER"
    path, caller = route_template(scope), scope["state"].get("caller")
    client, key_prefix = None, None
    if isinstance(caller, Principal):
        client, key_prefix = caller.client.id, caller.key.display_prefix if caller.key else None
    write = LOG.debug if path in _PROBE_PATHS and response.status < 400 else LOG.info
    write(
        "request",
        method=method,
        path=path,
        status=response.status,
        ms=round(seconds * 1000, 1),
        key=key_prefix,
        client=client,
    )
    scope["app"].state.metrics.count(method, path, response.status, seconds)
    services = getattr(scope["app"].state, "services", None)
    if services is not None and _should_log(client, path, response.status):
        request_log.enqueue(
            services, _log_entry(scope, response, method, path, seconds, client, key_prefix)
        )


def _log_entry(
    scope: Scope,
    response: ResponseRecord,
    method: str,
    path: str,
    seconds: float,
    client: str | None,
    key_prefix: str | None,
) -> RequestLogEntry:
    logs_body, state = response.logs_body(scope), scope["state"]
    return RequestLogEntry(
        at=response.started,
        request_id=state["request_id"],
        method=method,
        path=path,
        status=response.status,
        microseconds=int(seconds * 1_000_000),
        client_id=client,
        key_prefix=key_prefix,
        request_body=state.get("body", b"") if logs_body else None,
        response_body=response.body if logs_body else None,
        intent_id=tracing.current_context().get("intent"),
    )


def _should_log(client: str | None, path: str, status: int) -> bool:
    """Whether the request log has this request: every one of a client, and refused ones without a
    valid key, except rate-limited ones, so that nobody can flood the log."""
    return client is not None or (path.startswith("/v1/") and status != 429)


def route_template(scope: Scope) -> str:
    """The path template of the route that matches this request."""
    route = scope.get("route")
    if route is None:
        # A middleware responded before the router ran.
        routes = scope["app"].router.routes
        route = next((r for r in routes if r.matches(scope)[0] is not Match.NONE), None)
    return str(getattr(route, "path", UNKNOWN_PATH))
