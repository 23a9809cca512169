"""Whether the service lives, whether it can work, and what runs here."""

import importlib.metadata
from collections.abc import Iterator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from crossway.api.answers import Json, instant
from crossway.api.auth import services_of
from crossway.api.errors import HANDLERS, plain
from crossway.api.metrics import PATH, Metrics, metrics
from crossway.ports.services import Services

VERSION = importlib.metadata.version("crossway")
STARTING = "Starting. Please try again in a moment."
# A pass takes milliseconds; one that hangs on a node ends by its time limit.
MOST_QUIET_SECONDS = 60


async def alive(_: Request) -> Response:
    """The process answers."""
    return Json({"status": "ok"})


def ready(request: Request) -> Response:
    """The database answers with the tables of this version, and the engine, where one runs in this
    process, has ended a pass lately."""
    services = services_of(request.scope)
    if services is None:
        return plain(503, STARTING)
    wrong = list(_troubles(services))
    return plain(503, " ".join(wrong)) if wrong else Json({"status": "ok"})


def _troubles(services: Services) -> Iterator[str]:
    if list(services.store.ping()):
        yield "The database does not answer, or lacks tables of this version."
    quiet = services.pulse.quiet_seconds()
    if quiet > MOST_QUIET_SECONDS:
        yield f"The engine has ended no pass for {quiet:.0f} s."


def about(request: Request) -> Response:
    """What runs here."""
    services = services_of(request.scope)
    if services is None:
        return plain(503, STARTING)
    return Json(
        {
            "status": "ok",
            "service": "crossway",
            "version": VERSION,
            "network": services.network,
            "time": instant(services.clock.now()),
        }
    )


PROBES: list[BaseRoute] = [
    Route("/healthz", alive),
    Route("/readyz", ready),
    Route(PATH, metrics),
]
ROUTES: list[BaseRoute] = [*PROBES, Route("/v1", about)]


def probes(services: Services) -> Starlette:
    """The probes alone, for a process without an API."""
    app = Starlette(routes=PROBES, exception_handlers=HANDLERS)
    app.state.services, app.state.metrics = services, Metrics()
    return app


class _Inside:
    """Hands a request at the root of a server to the API below it."""

    def __init__(self, api: ASGIApp) -> None:
        self._api = api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        inside = {**scope, "root_path": "", "path_params": {}}
        inside.pop("endpoint", None)
        await self._api(inside, receive, send)


def at_the_root(api: ASGIApp) -> list[BaseRoute]:
    """`/healthz`, `/readyz` and `/metrics` of a server that mounts the API elsewhere."""
    return [Route(probe.path, _Inside(api)) for probe in PROBES if isinstance(probe, Route)]
