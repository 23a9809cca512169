"""Reading a request's JSON object: strict JSON, exact integers, no unknown field."""

import json
import math
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import BaseModel
from starlette.requests import Request

from crossway.domain.errors import InvalidInput

NOT_AN_OBJECT = "body must be a JSON object"
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Body:
    """A request's object: the values of known fields, and the names of `strange` ones."""

    fields: Mapping[str, Any]
    strange: tuple[str, ...]


def read(raw: bytes, known: frozenset[str]) -> Body:
    """The object in a body; its values are left for the use case to judge."""
    try:
        orjson.loads(raw)  # refuses NaN, lone surrogates and deep nesting, which `json` takes
        body = json.loads(raw, parse_float=_finite, object_pairs_hook=_each_once)
    except ValueError as error:
        raise InvalidInput(f"body is not valid JSON: {error}") from error
    if not isinstance(body, dict):
        raise InvalidInput(NOT_AN_OBJECT)
    strange = tuple(name[:_SHOWN] for name in body if name not in known)
    return Body({name: body[name] for name in body if name in known}, strange)


def body_of(model: type[BaseModel]) -> Callable[[Request], Coroutine[Any, Any, Body]]:
    """A dependency that reads a body with the fields of a model."""
    known = frozenset(field.alias or name for name, field in model.model_fields.items())

    async def parsed(request: Request) -> Body:
        return read(await request.body(), known)

    return parsed


def fields_of(
    model: type[BaseModel],
) -> Callable[[Request], Coroutine[Any, Any, Mapping[str, Any]]]:
    """The same, refusing strange fields at once."""
    parsed = body_of(model)

    async def known_alone(request: Request) -> Mapping[str, Any]:
        body = await parsed(request)
        if body.strange:
            raise InvalidInput("; ".join(f"{name} is not a known field" for name in body.strange))
        return body.fields

    return known_alone


def documented(model: type[BaseModel]) -> dict[str, Any]:
    """The `openapi_extra` of an endpoint that takes such a body."""
    content = {"application/json": {"schema": model.model_json_schema()}}
    return {"requestBody": {"required": True, "content": content}}


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; two amounts under one name are two readers who read different ones."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise ValueError(f"{twice[:_SHOWN]} is there twice")
    return found


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("a number is too large")
    return value
