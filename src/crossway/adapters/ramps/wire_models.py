"""Parsing provider responses: validated models, exact decimals and timestamps."""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from importlib.resources import files
from tomllib import loads
from typing import Annotated, Any, Final, TypeVar

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from crossway.domain.errors import InvalidInput, Unreachable
from crossway.domain.fiat import RATE_SCALE
from crossway.domain.money import Token, format_units

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# Amounts are never negative and never need more digits; an unbounded exponent could exhaust memory.
_NUMBER = re.compile(r"[0-9]{1,40}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,2})?\Z", re.ASCII)


def _number(value: object) -> object:
    """A JSON number or numeric string as text."""
    text = str(value) if type(value) is int else value
    if not isinstance(text, str) or not _NUMBER.match(text):
        raise ValueError("not a plain number of at least zero")
    return text


DecimalText = Annotated[str, BeforeValidator(_number)]


class WireModel(BaseModel):
    """A part of a provider's response in its own field names; unknown fields are ignored."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )


W = TypeVar("W", bound=WireModel)


def malformed_response(title: str) -> Unreachable:
    """The error for a response in an undocumented form, whose outcome is therefore unknown."""
    return Unreachable(f"{title}'s response does not have the documented form")


def parse_response(title: str, model: type[W], content: object) -> W:
    """Validate a response. Raises `Unreachable` for an undocumented form, whose outcome is
    unknown."""
    try:
        return model.model_validate(content)
    except ValidationError:
        raise malformed_response(title) from None


def parse_webhook_body(title: str, model: type[W], content: object) -> W:
    """Validate the body of a webhook. Raises `InvalidInput` for an undocumented form."""
    try:
        return model.model_validate(content)
    except ValidationError:
        raise InvalidInput(f"The body does not have the form that {title} documents") from None


def round_up(number: str | Fraction, places: int) -> int:
    """A number in units of 10**-places, rounded up."""
    return math.ceil(Fraction(number) * int(10**places))


def round_down(number: str | Fraction, places: int) -> int:
    """A number in units of 10**-places, rounded down."""
    return math.floor(Fraction(number) * int(10**places))


def to_micro_rate(rate: str | Fraction) -> int:
    """A rate of fiat currency per USD in millionths."""
    return round_down(Fraction(rate) * RATE_SCALE, 0)


def json_number(units: int, places: int) -> orjson.Fragment:
    """Base units as an exact JSON number."""
    return orjson.Fragment(format_units(units, places).encode())


def parse_instant(text: str | None, default: datetime) -> datetime:
    """An ISO 8601 time in UTC; `default` when it is missing or invalid."""
    try:
        parsed = datetime.fromisoformat(text or "")
    except ValueError:
        return default
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)


def parse_deadline(text: str | None) -> datetime | None:
    """An ISO 8601 time; None when it is missing or invalid."""
    deadline = parse_instant(text, EPOCH)
    return None if deadline == EPOCH else deadline


def load_names(provider: str) -> Mapping[str, Any]:
    """A provider's `names.toml`: its names for chains, fields and currencies."""
    file = files("crossway.adapters.ramps").joinpath(provider, "names.toml")
    return loads(file.read_text(encoding="utf-8"))


def decimals_by_coin(
    tokens: Sequence[Token], networks: Mapping[str, str]
) -> Mapping[tuple[str, str], int]:
    """The decimals of tokens by (the provider's name of the chain, symbol), as the decimals of a
    symbol differ by chain."""
    listed = (token for token in tokens if token.chain in networks)
    return {(networks[token.chain], token.symbol): token.decimals for token in listed}
