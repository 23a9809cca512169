"""Builds the OpenAPI document from the routes of the API."""

from copy import deepcopy
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from crossway.api.openapi import about
from crossway.api.openapi.deprecation import add_deprecations
from crossway.api.openapi.enumerations import share_enumerations
from crossway.api.openapi.examples import add_examples, load_examples
from crossway.api.openapi.extensions import share_members
from crossway.api.openapi.links import add_links
from crossway.api.openapi.operations import (
    Weights,
    complete_operations,
    loosen_answers,
    share_components,
)
from crossway.api.openapi.samples import add_samples
from crossway.api.openapi.schemas import compact
from crossway.api.openapi.webhooks import add_webhooks
from crossway.ports.services import Services

_DIALECT: Final = "https://spec.openapis.org/oas/3.1/dialect/base"
_OF_FASTAPI: Final = ("HTTPValidationError", "ValidationError")


def build_openapi(app: FastAPI, services: Services | None, weights: Weights) -> dict[str, Any]:
    """The OpenAPI document with the chains, symbols and currencies of this installation; `weights`
    are those of requests that count as several."""
    # A copy, as parts of it belong to the routes, which several applications share.
    routed = deepcopy(_from_routes(app))
    document: dict[str, Any] = {
        "openapi": routed["openapi"],
        "info": routed["info"],
        "jsonSchemaDialect": _DIALECT,
        "servers": [{"url": "/api", "description": "This installation."}],
        "security": [{"key": []}],
        "tags": about.TAGS,
        "paths": routed["paths"],
        "components": routed["components"],
    }
    components = document["components"]
    components["securitySchemes"] = {"key": about.KEY}
    for name in _OF_FASTAPI:
        components["schemas"].pop(name, None)
    examples = load_examples()
    add_examples(document, examples["operations"], examples["alike"])
    add_samples(document, examples["operations"])
    add_links(document)
    complete_operations(document, weights)
    add_deprecations(document, app.routes)
    compact(document)
    loosen_answers(document)
    share_enumerations(document, services)
    share_components(document)
    add_webhooks(document, examples["events"])
    share_members(document)
    components["schemas"] = dict(sorted(components["schemas"].items()))
    return document


def _from_routes(app: FastAPI) -> dict[str, Any]:
    return get_openapi(
        title=about.TITLE,
        version=app.version,
        summary=about.SUMMARY,
        description=about.DESCRIPTION,
        routes=app.routes,
    )
