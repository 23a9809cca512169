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

TAGS = [
    {"name": "Intents", "description": "Single-use payments with their own deposit address."},
    {"name": "Payment links", "description": "Links that any number of payers can pay."},
    {"name": "Quotes", "description": "Prices and fees of a payment."},
    {"name": "Router", "description": "Bridges and their routes."},
    {"name": "Ramps", "description": "Buying and selling crypto for local currency."},
    {
        "name": "KYC",
        "description": "Identity checks of end users: requirements, state and submission.",
    },
    {"name": "Search", "description": "Finding resources by what is known of them."},
    {"name": "Webhooks", "description": "Event notifications and their deliveries."},
    {"name": "Chains", "description": "Chains, tokens and balances."},
    {"name": "Client", "description": "The client of an API key."},
    {
        "name": "Sandbox",
        "description": "Controls of the simulated environment; absent on a live one.",
    },
]


def create_api(services: Services | None = None) -> FastAPI:
    """The API; without services it responds 503 until `state.services` is set."""
    api = FastAPI(
        version=health.VERSION,
        openapi_url=None,
        openapi_tags=TAGS,
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
