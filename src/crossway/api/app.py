"""The API as one ASGI application; whoever starts it sets its `state.services`."""

from fastapi import FastAPI
from starlette.middleware import Middleware

from crossway.api import (
    chains,
    documentation,
    events,
    health,
    intents,
    kyc,
    payment_links,
    quotes,
    ramp_orders,
    ramp_sandbox,
    ramps,
    router,
    sandbox,
    webhooks,
)
from crossway.api.auth import Gate
from crossway.api.errors import HANDLERS
from crossway.api.idempotency import Once
from crossway.api.metrics import Metrics
from crossway.api.requests import Bodies, Requests
from crossway.ports.services import Services

TAGS = [
    {"name": "Intents", "description": "Single-use payments with their own deposit address."},
    {"name": "Payment links", "description": "Links that many payers pay by."},
    {"name": "Quotes", "description": "What a payment costs."},
    {"name": "Router", "description": "Bridges and their routes."},
    {"name": "Ramps", "description": "Crypto for local money, and local money for crypto."},
    {"name": "KYC", "description": "What identity checks stand in the way, and passing them."},
    {"name": "Webhooks", "description": "Being told of what happens, and what was told."},
    {"name": "Chains", "description": "Chains, tokens and balances."},
    {"name": "Client", "description": "Who a key belongs to."},
    {
        "name": "Sandbox",
        "description": "The simulated network's own switches; absent on a live one.",
    },
]


def create_api(services: Services | None = None) -> FastAPI:
    """The API; without services it answers 503 until `state.services` is set."""
    api = FastAPI(
        version=health.VERSION,
        openapi_url=None,
        openapi_tags=TAGS,
        redirect_slashes=False,
        exception_handlers=HANDLERS,
        telemetry={"tracing": False, "metrics": False, "logs": False},
        middleware=[
            Middleware(Requests),
            Middleware(Gate),
            Middleware(Bodies),
            Middleware(Once),
        ],
    )
    api.state.metrics = Metrics()
    # One flat list, the busiest first: a router that is included is searched at twice the cost.
    for part in (quotes.router, intents.router, router.router, chains.router, sandbox.router):
        api.router.routes.extend(part.routes)
    for part in (
        ramps.router,
        ramp_orders.router,
        ramp_sandbox.router,
        kyc.router,
        kyc.state_router,
    ):
        api.router.routes.extend(part.routes)
    api.router.routes.extend(chains.client_router.routes)
    api.router.routes.extend(payment_links.router.routes)
    api.router.routes.extend([*webhooks.router.routes, *events.router.routes])
    api.router.routes.extend([*health.ROUTES, *documentation.pages(api)])
    if services is not None:
        api.state.services = services
    return api
