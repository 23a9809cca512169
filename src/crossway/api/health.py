"""Whether the service lives, and whether it can work."""

import importlib.metadata

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from crossway.api.answers import Json, instant
from crossway.api.auth import services_of
from crossway.api.errors import plain

VERSION = importlib.metadata.version("crossway")


async def alive(_: Request) -> Response:
    """The process answers."""
    return Json({"status": "ok"})


def ready(request: Request) -> Response:
    """The services are started and the database answers."""
    services = services_of(request.scope)
    if services is None:
        return plain(503, "Starting. Please try again in a moment.")
    if list(services.store.ping()):
        return plain(503, "The database does not answer.")
    return Json({"status": "ok"})


def about(request: Request) -> Response:
    """What runs here."""
    services = services_of(request.scope)
    if services is None:
        return plain(503, "Starting. Please try again in a moment.")
    return Json(
        {
            "status": "ok",
            "service": "crossway",
            "version": VERSION,
            "network": services.network,
            "time": instant(services.clock.now()),
        }
    )


ROUTES: list[BaseRoute] = [
    Route("/healthz", alive),
    Route("/readyz", ready),
    Route("/v1", about),
]
