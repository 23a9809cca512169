"""Health endpoints: liveness, readiness, and what runs here."""

import importlib.metadata
from collections.abc import Iterator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from crossway.api.errors import HANDLERS, STARTING, error_response
from crossway.api.metrics import PATH, RequestMetrics, metrics
from crossway.api.schemas.responses import JsonResponse
from crossway.domain.error_codes import ErrorCode
from crossway.ports.services import Services
from crossway.usecases.instants import timestamp

VERSION = importlib.metadata.version("crossway")
# A pass takes milliseconds; one that waits for a hanging node ends by its timeout.
MAX_SECONDS_SINCE_PASS = 60


async def alive(_: Request) -> Response:
    """Liveness: the process responds."""
    return JsonResponse({"status": "ok"})


def ready(request: Request) -> Response:
    """Readiness: the database has this version's tables, and the engine of this process, if there
    is one, completed a pass recently."""
    services: Services | None = getattr(request.app.state, "services", None)
    if services is None:
        return error_response(503, STARTING, ErrorCode.STARTING)
    problems = list(_find_problems(services))
    if problems:
        return error_response(503, " ".join(problems), ErrorCode.STORAGE_UNAVAILABLE)
    return JsonResponse({"status": "ok"})


def _find_problems(services: Services) -> Iterator[str]:
    if list(services.store.ping()):
        yield "The database is unavailable or its schema is of another version."
    seconds = services.process.engine.seconds_since_pass()
    if seconds > MAX_SECONDS_SINCE_PASS:
        yield f"The engine has not completed a pass for {seconds:.0f} s."


def about(request: Request) -> Response:
    """Name, version and environment of the service."""
    services: Services | None = getattr(request.app.state, "services", None)
    if services is None:
        return error_response(503, STARTING, ErrorCode.STARTING)
    return JsonResponse(
        {
            "status": "ok",
            "service": "crossway",
            "version": VERSION,
            "network": services.environment,
            "time": timestamp(services.clock.now()),
        }
    )


PROBES: list[BaseRoute] = [
    Route("/healthz", alive),
    Route("/readyz", ready),
    Route(PATH, metrics),
]
ROUTES: list[BaseRoute] = [*PROBES, Route("/v1", about)]


def create_probe_app(services: Services) -> Starlette:
    """An application with the probes only, for a process without the API."""
    app = Starlette(routes=PROBES, exception_handlers=HANDLERS)
    app.state.services, app.state.metrics = services, RequestMetrics()
    return app


class _ForwardToApi:
    """Forwards a request at the server's root to the mounted API."""

    def __init__(self, api: ASGIApp) -> None:
        self._api = api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        inner_scope = {**scope, "root_path": "", "path_params": {}}
        inner_scope.pop("endpoint", None)
        await self._api(inner_scope, receive, send)


def root_probe_routes(api: ASGIApp) -> list[BaseRoute]:
    """`/healthz`, `/readyz` and `/metrics` at the root of a server that mounts the API below it."""
    return [Route(probe.path, _ForwardToApi(api)) for probe in PROBES if isinstance(probe, Route)]
