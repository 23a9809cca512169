"""The OpenAPI document and its page, served without a single request to anywhere else."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from crossway.api.answers import Json
from crossway.api.errors import plain
from crossway.api.schemas.fields import BRIDGES, CHAINS, SYMBOLS
from crossway.domain.quotes import BridgeName
from crossway.ports.services import Services

FOLDER = Path(__file__).parent / "docs"
ABOUT = """Cross-chain payment intents: ask for quotes, create an intent, let your user pay its
deposit address, and the recipient is paid on another chain. If the intent expires unstarted, the
payer is refunded.

**Keys.** Send `Authorization: Bearer cr_test_…` with every request. A live key works with main
networks only.

**Amounts** are strings of integers in the token's smallest unit; what ends in `Formatted` is for
people. USD amounts of an intent are micro-USD. Fiat amounts, limits and the `cryptoAmount` of
ramps are JSON numbers with every digit exact.

**Failures** are JSON with one sentence. Most are `{statusCode, message}`; trigger-processing and
refund answer `{success: false, message}`, destination-address `{error}`.

**Retries.** Send `Idempotency-Key` with a POST and the same request, sent again within 24 hours,
gets its first answer again, with `Idempotent-Replayed: true`.

**Limits.** 250 requests a minute for each key: see the `RateLimit` header, and `Retry-After` after
a 429. Every answer has an `X-Request-Id`: name it when you ask us about one.
"""
JSON, STREAM = "application/json", "text/event-stream"
_IDEMPOTENCY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Any text of up to 255 characters that names this request once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}
_ASSETS: Final = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "start.js": "text/javascript",
}
_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"


def openapi_of(app: FastAPI, services: Services | None) -> dict[str, Any]:
    """The document, with the chains, symbols and bridges of this installation filled in."""
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
    for path in document["paths"].values():
        for method, operation in path.items():
            _tidy(method, operation)
    _fill(document, _lists(services))
    return document


def _tidy(method: str, operation: dict[str, Any]) -> None:
    """Ours alone: no 422 of the framework; failures are JSON, a stream's too; every POST can be
    sent twice."""
    unprocessable = operation["responses"].get("422", {})
    if "HTTPValidationError" in str(unprocessable):
        del operation["responses"]["422"]
    for status, answer in operation["responses"].items():
        if int(status) >= 400 and STREAM in answer["content"]:
            answer["content"][JSON].update(answer["content"].pop(STREAM))
    # Without a key there is no client whose answer could be kept.
    if method == "post" and operation.get("security") != []:
        operation.setdefault("parameters", []).append(_IDEMPOTENCY)


def _lists(services: Services | None) -> dict[str, list[str]]:
    if services is None:
        return {}
    chains = [name for name in services.catalogue.chains if name in services.chains]
    return {CHAINS: chains, SYMBOLS: list(services.catalogue.symbols), BRIDGES: list(BridgeName)}


def _fill(node: Any, lists: dict[str, list[str]]) -> None:
    """Replace each marker by the values it stands for, null among them where null is allowed."""
    if isinstance(node, dict):
        for kind in (CHAINS, SYMBOLS, BRIDGES):
            if node.pop(kind, None) and lists.get(kind):
                options = node.get("anyOf", [node])
                next(o for o in options if o.get("type") == "string")["enum"] = lists[kind]
        for value in node.values():
            _fill(value, lists)
    elif isinstance(node, list):
        for value in node:
            _fill(value, lists)


def pages(app: FastAPI) -> Sequence[BaseRoute]:
    """The page, its files and the document."""

    async def document(request: Request) -> Response:
        services = getattr(request.app.state, "services", None)
        if services is None or app.openapi_schema is None:
            app.openapi_schema = openapi_of(app, services)
        return Json(app.openapi_schema)

    async def page(_: Request) -> Response:
        html = (FOLDER / "index.html").read_bytes()
        return Response(html, headers={"content-security-policy": _POLICY}, media_type="text/html")

    async def asset(request: Request) -> Response:
        name = request.path_params["name"]
        return _asset(name) if name in _ASSETS else plain(404, "Not Found")

    return [
        Route("/openapi.json", document),
        Route("/docs", page),
        Route("/docs/{name}", asset),
    ]


def _asset(name: str) -> Response:
    headers, file = {"cache-control": "max-age=86400"}, FOLDER / name
    if not file.exists():
        headers["content-encoding"], file = "gzip", FOLDER / f"{name}.gz"
    return Response(file.read_bytes(), headers=headers, media_type=_ASSETS[name])
