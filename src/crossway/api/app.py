"""The API as one ASGI application; its starter sets `state.services`."""

from fastapi import FastAPI
from starlette.middleware import Middleware

from crossway.api import documentation, health
from crossway.api.auth import AuthMiddleware
from crossway.api.errors import HANDLERS
from crossway.api.idempotency import IdempotencyMiddleware
from crossway.api.metrics import RequestMetrics
from crossway.api.middleware import BodyLimitMiddleware, RequestContextMiddleware
from crossway.api.route_groups import add_groups
from crossway.ports.services import Services


def create_api(services: Services | None = None) -> FastAPI:
    """The API; without services it responds 503 until `state.services` is set."""
    api = FastAPI(
        version=health.VERSION,
        openapi_url=None,
        redirect_slashes=False,
        exception_handlers=HANDLERS,
        telemetry={"tracing": False, "metrics": False, "logs": False},
        middleware=[
            Middleware(RequestContextMiddleware),
            Middleware(AuthMiddleware),
            Middleware(BodyLimitMiddleware),
            Middleware(IdempotencyMiddleware),
        ],
    )
    api.state.metrics = RequestMetrics()
    add_groups(api.router.routes)
    api.router.routes.extend([*health.ROUTES, *documentation.pages(api)])
    if services is not None:
        api.state.services = services
    return api
