"""Parsing request bodies: strict JSON with exact integers, then a request model."""

import json
import math
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import orjson
from starlette.requests import Request

from crossway.api.schemas.fields import RequestModel
from crossway.domain.errors import InvalidInput

NOT_AN_OBJECT = "body must be a JSON object"
_MAX_SHOWN_NAME = 60
RequestT = TypeVar("RequestT", bound=RequestModel)


def parse_json_object(raw: bytes) -> dict[str, Any]:
    """The JSON object in a body. Raises `InvalidInput` for invalid JSON, for a key that is there
    twice, and for anything but an object."""
    try:
        orjson.loads(raw)  # Refuses NaN, lone surrogates and deep nesting, which `json` accepts.
        body = json.loads(
            raw, parse_float=_parse_finite_float, object_pairs_hook=_reject_duplicate_keys
        )
    except ValueError as error:
        raise InvalidInput(f"body is not valid JSON: {error}") from error
    if not isinstance(body, dict):
        raise InvalidInput(NOT_AN_OBJECT)
    return body


def body_of(model: type[RequestT]) -> Callable[[Request], Coroutine[Any, Any, RequestT]]:
    """A dependency that parses the body; refused fields stay in the request's `field_errors`."""

    async def parse(request: Request) -> RequestT:
        return model.parse(parse_json_object(await request.body()))

    return parse


def valid_body_of(model: type[RequestT]) -> Callable[[Request], Coroutine[Any, Any, RequestT]]:
    """A dependency that parses the body and raises `InvalidInput` when a field is refused."""

    async def parse(request: Request) -> RequestT:
        body = model.parse(parse_json_object(await request.body()))
        body.require_valid()
        return body

    return parse


def request_body_schema(model: type[RequestModel]) -> dict[str, Any]:
    """The `openapi_extra` of an endpoint that takes this body."""
    content = {"application/json": {"schema": model.model_json_schema()}}
    return {"requestBody": {"required": True, "content": content}}


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are unique; parsers disagree about which of two equal keys counts."""
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        duplicate = next(name for name in values if names.count(name) > 1)
        raise ValueError(f"{duplicate[:_MAX_SHOWN_NAME]} is there twice")
    return values


def _parse_finite_float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("a number is too large")
    return value
