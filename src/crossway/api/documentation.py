"""The OpenAPI document and its page, which loads nothing from other hosts."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from crossway.api.errors import error_response
from crossway.api.lazy_routes import load_all
from crossway.api.request_weights import WEIGHTS
from crossway.api.schemas.fields import BRIDGES, CHAINS, SYMBOLS
from crossway.api.schemas.responses import JsonResponse
from crossway.domain.error_codes import ErrorCode
from crossway.domain.quotes import BridgeName
from crossway.ports.services import Services

FOLDER = Path(__file__).parent / "docs"
ABOUT = """Cross-chain payment intents: get quotes, create an intent, let your user pay its deposit
address, and the recipient is paid on another chain. If the intent expires before it starts, the
payer is refunded.

**Keys.** Send `Authorization: Bearer cr_test_…` with every request. A live key works with main
networks only. Test and live are two worlds: a key sees, lists and changes what keys of its own mode
made, and gets their events only.

**Amounts** are strings of integers in the token's smallest unit; fields that end in `Formatted`
are decimal numbers for display. USD amounts of an intent are micro-USD. Fiat amounts, limits and
the `cryptoAmount` of ramps are JSON numbers with every digit exact.

**Errors** are JSON with one message. Most are `{statusCode, message}`; trigger-processing and
refund return `{success: false, message}`, destination-address `{error}`.

**Retries.** Send `Idempotency-Key` with a POST: the same request repeated within 24 hours gets the
first response again, with `Idempotent-Replayed: true`.

**Limits.** 250 requests a minute for each key: see the `RateLimit` header, and `Retry-After` after
a 429. Requests that cost more count for more, as their descriptions say. Every response has an
`X-Request-Id`; include it when you contact support.
"""
JSON, STREAM = "application/json", "text/event-stream"
_IDEMPOTENCY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A text of up to 255 characters that identifies this request.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}
_ASSETS: Final = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "start.js": "text/javascript",
}
_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"


def build_openapi(app: FastAPI, services: Services | None) -> dict[str, Any]:
    """The OpenAPI document with the chains, symbols and bridges of this installation."""
    # Imported here: few requests need it, and a start is faster without it.
    from fastapi.openapi.utils import get_openapi

    load_all(app.routes)
    document = get_openapi(
        title="Crossway API",
        version=app.version,
        description=ABOUT,
        routes=app.routes,
        tags=app.openapi_tags,
    )
    document["servers"] = [{"url": "/api"}]
    components = document.setdefault("components", {})
    components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
    components.get("schemas", {}).pop("HTTPValidationError", None)
    components.get("schemas", {}).pop("ValidationError", None)
    document["security"] = [{"key": []}]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            _adjust_operation(method, operation)
            if (weight := WEIGHTS.get((method.upper(), path), 1)) > 1:
                operation["description"] += f"\n\nCounts as {weight} requests."
    _replace_markers(document, _catalogue_values(services))
    return document


def _adjust_operation(method: str, operation: dict[str, Any]) -> None:
    """Remove FastAPI's own 422 response, document errors of streams as JSON, and add the header
    `Idempotency-Key` to every POST."""
    unprocessable = operation["responses"].get("422", {})
    if "HTTPValidationError" in str(unprocessable):
        del operation["responses"]["422"]
    for status, response in operation["responses"].items():
        if int(status) >= 400 and STREAM in response["content"]:
            response["content"][JSON].update(response["content"].pop(STREAM))
    # Without an API key there is no client for whom a response could be stored.
    if method == "post" and operation.get("security") != []:
        operation.setdefault("parameters", []).append(_IDEMPOTENCY)


def _catalogue_values(services: Services | None) -> dict[str, list[str]]:
    if services is None:
        return {}
    chains = [name for name in services.catalogue.chains if name in services.chains]
    return {CHAINS: chains, SYMBOLS: list(services.catalogue.symbols), BRIDGES: list(BridgeName)}


def _replace_markers(node: Any, values: dict[str, list[str]]) -> None:
    """Replace each marker by an enum of the values it stands for."""
    if isinstance(node, dict):
        for kind in (CHAINS, SYMBOLS, BRIDGES):
            if node.pop(kind, None) and values.get(kind):
                options = node.get("anyOf", [node])
                next(o for o in options if o.get("type") == "string")["enum"] = values[kind]
        for value in node.values():
            _replace_markers(value, values)
    elif isinstance(node, list):
        for value in node:
            _replace_markers(value, values)


def pages(app: FastAPI) -> Sequence[BaseRoute]:
    """The routes of the page, its files and the document."""

    async def document(request: Request) -> Response:
        services = getattr(request.app.state, "services", None)
        if services is None or app.openapi_schema is None:
            app.openapi_schema = build_openapi(app, services)
        return JsonResponse(app.openapi_schema)

    async def page(_: Request) -> Response:
        html = (FOLDER / "index.html").read_bytes()
        return Response(html, headers={"content-security-policy": _POLICY}, media_type="text/html")

    async def asset(request: Request) -> Response:
        name = request.path_params["name"]
        return (
            _asset(name)
            if name in _ASSETS
            else error_response(404, "Not Found", ErrorCode.NOT_FOUND)
        )

    return [
        Route("/openapi.json", document),
        Route("/docs", page),
        Route("/docs/{name}", asset),
    ]


def _asset(name: str) -> Response:
    headers = {"cache-control": "max-age=86400"}
    body, is_compressed = _asset_body(name)
    if is_compressed:
        headers["content-encoding"] = "gzip"
    return Response(body, headers=headers, media_type=_ASSETS[name])


@cache
def _asset_body(name: str) -> tuple[bytes, bool]:
    """A file of the page, and whether it is compressed; read once, as many may ask for it."""
    file = FOLDER / name
    return (
        (file.read_bytes(), False)
        if file.exists()
        else ((FOLDER / f"{name}.gz").read_bytes(), True)
    )
