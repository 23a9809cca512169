"""JSON responses: how models, instants, exact numbers and page URLs are written in them."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import orjson
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from crossway.domain.intent import Intent
from crossway.domain.money import format_units
from crossway.domain.payment_links import PaymentLink
from crossway.ports.services import Services
from crossway.usecases.payers import checkout


class JsonResponse(Response):
    """A JSON response from response models and plain data; FastAPI does not validate it again."""

    media_type = "application/json"

    def __init__(
        self, content: Any, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(encode_json(content), status, headers)


def encode_json(content: Any) -> bytes:
    """JSON of response models and plain data. Model fields that were not set are left out."""
    return orjson.dumps(content, default=_model_fields)


def _model_fields(model: Any) -> dict[str, Any]:
    if not isinstance(model, BaseModel):
        raise TypeError(f"{type(model).__name__} cannot be written as JSON")
    set_fields = model.model_fields_set
    return {name: value for name, value in model.__dict__.items() if name in set_fields}


def timestamp(at: datetime) -> str:
    """An instant as ISO 8601 in UTC with milliseconds and `Z`."""
    return at.isoformat(timespec="milliseconds")[:-6] + "Z"


def timestamp_seconds(at: datetime) -> str:
    """An instant as ISO 8601 in UTC, cut to whole seconds: it ends in `.000Z`."""
    return at.isoformat(timespec="seconds")[:-6] + ".000Z"


def raw_json(value: Any) -> orjson.Fragment:
    """JSON data with integers of any size; orjson itself refuses those above 64 bits."""
    return orjson.Fragment(json.dumps(value, separators=(",", ":")))


def json_decimal(units: int, places: int) -> orjson.Fragment:
    """An integer of 10**-`places` units as an exact JSON number, without rounding to a float."""
    return orjson.Fragment(format_units(units, places))


def payment_url(request: Request, intent: Intent) -> str:
    """The URL of an intent's checkout page."""
    services: Services = request.app.state.services
    return checkout.checkout_url(services, _request_origin(request), intent.id)


def link_url(request: Request, link: PaymentLink) -> str:
    """The URL of a payment link's page."""
    services: Services = request.app.state.services
    return checkout.link_url(services, _request_origin(request), link.id)


def _request_origin(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"
