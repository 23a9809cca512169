"""The groups of the API's routes, each with the modules that are imported for it."""

from collections.abc import Iterable
from functools import partial
from importlib import import_module
from typing import Final

from starlette.routing import BaseRoute

from crossway.api.lazy_routes import LazyRoutes

# By path, modules of `crossway.api` and the names of their routers, in the order in which their
# routes are tried. The busiest come first.
_GROUPS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "/v1/quotes": (("quotes", "router"),),
    "/v1/intents": (
        ("intent_creation", "router"),
        ("intent_batches", "router"),
        ("intents", "router"),
        ("intents", "by_number"),
    ),
    "/v1/router": (("router", "router"),),
    "/v1/chains": (("chains", "router"),),
    "/v1/sandbox": (("sandbox", "router"), ("ramp_sandbox", "router")),
    "/v1/ramp": (("ramps", "router"), ("ramp_orders", "router"), ("kyc", "router")),
    "/v1/kyc": (("kyc", "state_router"),),
    "/v1/client": (("chains", "client_router"),),
    "/v1/payment-links": (("payment_links", "router"),),
    "/v1/x402": (("x402", "router"),),
    "/v1/standing-addresses": (("standing_addresses", "router"),),
    "/v1/standing-deposits": (("standing_deposits", "router"),),
    "/v1/invoices": (("invoices", "router"),),
    "/v1/subscriptions": (("subscriptions", "router"),),
    "/v1/webhooks": (("webhooks", "router"),),
    "/v1/events": (("events", "router"),),
    "/v1/search": (("search", "router"),),
    "/v1/exports": (("exports", "router"),),
    "/v1/export-files": (("exports", "files_router"),),
}


def add_groups(routes: list[BaseRoute]) -> None:
    """Add every group to the flat list of an application; included routers would double the time
    of a match."""
    for path, parts in _GROUPS.items():
        routes.append(LazyRoutes(path, partial(_import, parts), routes))


def _import(parts: Iterable[tuple[str, str]]) -> list[BaseRoute]:
    # Imported here: a start is faster without what only the routes need.
    from crossway.api.request_fields import require_known_query

    routers = [getattr(import_module(f"crossway.api.{name}"), router) for name, router in parts]
    routes = [route for router in routers for route in router.routes]
    for route in routes:
        require_known_query(route)
    return routes
