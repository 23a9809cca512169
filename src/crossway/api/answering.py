"""What became of a request: one line in the log, a count in the metrics, a row for later."""

import time
from dataclasses import dataclass, field

import structlog
from starlette.routing import Match
from starlette.types import Scope

from crossway.domain.clients import Caller
from crossway.ports import tracing
from crossway.ports.process import Heard
from crossway.usecases.developers import request_log

LOG = structlog.get_logger("crossway.requests")
MAX_KEPT_BYTES = 16 * 1024
UNKNOWN_PATH = "(no such path)"
# Asked every few seconds by machines, of which a line each tells nothing.
_PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_METHODS = _READS | {"POST", "PUT", "PATCH", "DELETE"}


@dataclass
class Answer:
    """An answer as it goes by; the body only of writes and failures."""

    status: int = 0
    body: bytes = b""
    started: float = field(default_factory=time.monotonic)

    def is_kept(self, scope: Scope) -> bool:
        """Whether bodies are kept of this request."""
        return self.status >= 400 or scope["method"] not in _READS


def tell(scope: Scope, answer: Answer) -> None:
    """Write the line, count the request, and hand it to the request log.

    The line has the route's template: no address, no query, no header, no body.
    """
    seconds = time.monotonic() - answer.started
    method = scope["method"] if scope["method"] in _METHODS else "OTHER"
    path, caller = template(scope), scope["state"].get("caller")
    client, shown = None, None
    if isinstance(caller, Caller):
        client, shown = caller.client.id, caller.key.shown if caller.key else None
    write = LOG.debug if path in _PROBES and answer.status < 400 else LOG.info
    write(
        "request",
        method=method,
        path=path,
        status=answer.status,
        ms=round(seconds * 1000, 1),
        key=shown,
        client=client,
    )
    scope["app"].state.metrics.count(method, path, answer.status, seconds)
    services = getattr(scope["app"].state, "services", None)
    if services is not None and _is_remembered(client, path, answer.status):
        request_log.hear(services, _heard(scope, answer, method, path, seconds, client, shown))


def _heard(
    scope: Scope,
    answer: Answer,
    method: str,
    path: str,
    seconds: float,
    client: str | None,
    shown: str | None,
) -> Heard:
    kept, state = answer.is_kept(scope), scope["state"]
    return Heard(
        at=answer.started,
        request_id=state["request_id"],
        method=method,
        path=path,
        status=answer.status,
        microseconds=int(seconds * 1_000_000),
        client_id=client,
        key_shown=shown,
        asked=state.get("body", b"") if kept else None,
        answered=answer.body if kept else None,
        intent=tracing.noted().get("intent"),
    )


def _is_remembered(client: str | None, path: str, status: int) -> bool:
    """Whatever a client asked; of others what was refused, but not what came too often: nobody
    shall fill the log without a key."""
    return client is not None or (path.startswith("/v1/") and status != 429)


def template(scope: Scope) -> str:
    """The path of the route that answers this request, its parameters unfilled."""
    route = scope.get("route")
    if route is None:
        # Whoever answered before the router did so for every path alike.
        routes = scope["app"].router.routes
        route = next((r for r in routes if r.matches(scope)[0] is not Match.NONE), None)
    return str(getattr(route, "path", UNKNOWN_PATH))
