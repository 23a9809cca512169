"""Serves the OpenAPI document and its page, which loads nothing from other hosts."""

import gzip
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
from crossway.api.schemas.responses import JsonResponse
from crossway.domain.error_codes import ErrorCode

FOLDER = Path(__file__).parent / "docs"
_ASSETS: Final = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "start.js": "text/javascript",
}
_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"


def pages(app: FastAPI) -> Sequence[BaseRoute]:
    """The routes of the page, its files and the document."""

    async def document(request: Request) -> Response:
        body = JsonResponse(make_document(app)).body
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(body, media_type="application/json")
        headers = {"content-encoding": "gzip", "vary": "accept-encoding"}
        return Response(gzip.compress(body, 6), headers=headers, media_type="application/json")

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


def make_document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of an application; once it has services, it is made once."""
    services = getattr(app.state, "services", None)
    if services is None or app.openapi_schema is None:
        # Imported here: few requests need it, and a start is faster without it.
        from crossway.api.openapi.document import build_openapi

        load_all(app.routes)
        app.openapi_schema = build_openapi(app, services, WEIGHTS)
    return app.openapi_schema


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
