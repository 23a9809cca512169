"""Answers in JSON, and how instants and free-form data are written in them."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import orjson
from starlette.responses import Response

from crossway.domain.money import format_units


class Json(Response):
    """A finished JSON answer: nothing validates or copies it again."""

    media_type = "application/json"

    def __init__(
        self, content: Any, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(orjson.dumps(content), status, headers)


def instant(at: datetime) -> str:
    """ISO 8601 in UTC with milliseconds and `Z`."""
    return at.isoformat(timespec="milliseconds")[:-6] + "Z"


def whole_second(at: datetime) -> str:
    """The same in whole seconds, `.000Z`."""
    return at.isoformat(timespec="seconds")[:-6] + ".000Z"


def exact(value: Any) -> orjson.Fragment:
    """Data whose integers may be wider than 64 bits, as orjson alone would refuse to write."""
    return orjson.Fragment(json.dumps(value, separators=(",", ":")))


def decimal(units: int, places: int) -> orjson.Fragment:
    """Units of 10**-places as a JSON number, exactly: never by way of a float."""
    return orjson.Fragment(format_units(units, places))
