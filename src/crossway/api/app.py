"""The API as one ASGI application; its starter sets `state.services`."""

from fastapi import FastAPI
from fastapi.middleware.asyncexitstack import AsyncExitStackMiddleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from crossway.api import documentation, health
from crossway.api.auth import AuthMiddleware
from crossway.api.direct_routes import DirectRoutes
from crossway.api.errors import HANDLERS
from crossway.api.idempotency import IdempotencyMiddleware
from crossway.api.metrics import RequestMetrics
from crossway.api.middleware import BodyLimitMiddleware, RequestContextMiddleware
from crossway.api.route_groups import add_groups
from crossway.ports.services import Services


class _Api(FastAPI):
    """FastAPI with our layers around its router; its own telemetry, body limit and last resort,
    which ours replace, would cost each request more than they do."""

    def build_middleware_stack(self) -> ASGIApp:
        routed = ExceptionMiddleware(AsyncExitStackMiddleware(self.router), handlers=HANDLERS)
        work = IdempotencyMiddleware(DirectRoutes(routed, self.router.routes))
        return RequestContextMiddleware(AuthMiddleware(BodyLimitMiddleware(work)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"] = self
        if self.middleware_stack is None:
            self.middleware_stack = self.build_middleware_stack()
        await self.middleware_stack(scope, receive, send)


def create_api(services: Services | None = None) -> FastAPI:
    """The API; without services it responds 503 until `state.services` is set."""
    api = _Api(version=health.VERSION, openapi_url=None, redirect_slashes=False)
    api.state.metrics = RequestMetrics()
    add_groups(api.router.routes)
    api.router.routes.extend([*health.ROUTES, *documentation.pages(api)])
    if services is not None:
        api.state.services = services
    return api
