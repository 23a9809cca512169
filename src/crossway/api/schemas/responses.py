"""JSON responses: how models, exact numbers and page URLs are written in them."""

import json
from typing import Any, Final

import orjson
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from crossway.domain.intent import Intent
from crossway.domain.money import format_units
from crossway.domain.payment_links import PaymentLink
from crossway.usecases.billing.pages import page_url
from crossway.usecases.payments import checkout_urls

_COMPACT: Final = json.JSONEncoder(separators=(",", ":"))


class JsonResponse(Response):
    """A JSON response from response models and plain data; FastAPI does not validate it again."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return orjson.dumps(content, default=set_fields)


def set_fields(model: Any) -> dict[str, Any]:
    """The fields of a response model that were set, for JSON; the others are left out."""
    if not isinstance(model, BaseModel):
        raise TypeError(f"{type(model).__name__} cannot be written as JSON")
    fields = dict(model.__dict__)
    for name in fields.keys() - model.model_fields_set:
        del fields[name]
    return fields


def raw_json(value: Any) -> orjson.Fragment:
    """JSON data with integers of any size; orjson itself refuses those above 64 bits."""
    return orjson.Fragment(_COMPACT.encode(value))


def json_decimal(units: int, places: int) -> orjson.Fragment:
    """An integer of 10**-`places` units as an exact JSON number, without rounding to a float."""
    return orjson.Fragment(format_units(units, places))


def api_url(request: Request) -> str:
    """The URL of this API, without a slash at its end."""
    return f"{request.url.scheme}://{request.url.netloc}{request.scope.get('root_path', '')}"


def payment_url(request: Request, intent: Intent) -> str:
    """The URL of an intent's checkout page."""
    origin = f"{request.url.scheme}://{request.url.netloc}"
    return checkout_urls.checkout_url(request.app.state.services, origin, intent.id)


def link_url(request: Request, link: PaymentLink) -> str:
    """The URL of a payment link's page."""
    origin = f"{request.url.scheme}://{request.url.netloc}"
    return checkout_urls.link_url(request.app.state.services, origin, link.id)


def path_url(request: Request, path: str) -> str:
    """The URL of a path of payers' pages."""
    origin = f"{request.url.scheme}://{request.url.netloc}"
    return page_url(request.app.state.services, origin, path)
