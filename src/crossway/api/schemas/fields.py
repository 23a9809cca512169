"""Base models, field types, and the parsing of request bodies: strict JSON with exact integers.

`SkipValidation` marks request fields whose type and content the use case checks in one sentence.
"""

import json
import math
from collections.abc import Callable
from typing import Annotated, Any, Self

import orjson
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    WithJsonSchema,
)
from starlette.requests import Request

from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import FieldError, InvalidInput

# Markers in the OpenAPI document; `openapi.enumerations` replaces them by references.
CHAINS, SYMBOLS, BRIDGES = "x-chains", "x-symbols", "x-bridges"
CURRENCIES, COUNTRIES = "x-currencies", "x-countries"
# Marks a parameter without which the use case refuses a request; it complains in one sentence.
REQUIRED = "x-required"
# What texts of a request may look like, for the document; use cases check them.
UNITS = {"pattern": "^[0-9]*[1-9][0-9]*$", "maxLength": 78}
DECIMAL = {"pattern": r"^[0-9]{1,60}(\.[0-9]{1,60})?$"}
IDENTIFIER = {"pattern": r"\S", "maxLength": 2_000}
EMAIL_TEXT = {"format": "email", "maxLength": 254}
NOT_AN_OBJECT = "body must be a JSON object"
_MAX_SHOWN_NAME = 60


class Model(BaseModel):
    """A JSON object; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class RequestModel(Model):
    """The body of a request.

    Parsing does not stop at a refused field: the field takes its default, and `_field_errors` has
    one field error for each unknown or missing field and each value of the wrong type. Use cases
    report these together with their own, in one message.
    """

    _field_errors: tuple[FieldError, ...] = PrivateAttr(())

    @classmethod
    async def from_request(cls, request: Request) -> Self:
        """A dependency: the request's body. A required text that is missing is read as empty."""
        return cls.parse(parse_json_object(request.state.body))

    @classmethod
    def parse(cls, body: dict[str, Any]) -> Self:
        """As `from_request`, for an object that is parsed already."""
        try:
            return cls.model_validate(body)
        except ValidationError as invalid:
            errors = invalid.errors()
        refused = {error["loc"][0] for error in errors}
        accepted = {name: value for name, value in body.items() if name not in refused}
        missing = [str(error["loc"][0]) for error in errors if error["type"] == "missing"]
        parsed = cls.model_validate({**accepted, **dict.fromkeys(missing)})
        # Unknown fields come first.
        errors.sort(key=lambda error: error["type"] != "extra_forbidden")
        parsed._field_errors = tuple(_field_error(error) for error in errors)
        return parsed

    @classmethod
    async def from_request_or_error(cls, request: Request) -> Self | InvalidInput:
        """A dependency: the request's body, or why it has none."""
        try:
            return await cls.from_request(request)
        except InvalidInput as error:
            return error

    @classmethod
    async def valid_from_request(cls, request: Request) -> Self:
        """A dependency: the request's body. Raises `InvalidInput` when a field is refused."""
        body = await cls.from_request(request)
        if body._field_errors:
            raise InvalidInput.of(body._field_errors)
        return body

    @classmethod
    def large_from_request(cls, request: Request) -> Self:
        """As `valid_from_request`, in a thread: a large body would hold up other requests."""
        body = cls.parse(parse_json_object(request.state.body))
        if body._field_errors:
            raise InvalidInput.of(body._field_errors)
        return body

    @property
    def field_errors(self) -> tuple[FieldError, ...]:
        """The field errors of parsing."""
        return self._field_errors

    def given_fields(self) -> dict[str, Any]:
        """The fields that the body has, null or not."""
        return {name: getattr(self, name) for name in self.model_fields_set}


def _field_error(error: Any) -> FieldError:
    name = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        # A name may have spaces.
        shown = name[:_MAX_SHOWN_NAME]
        text, code = f"{shown} is not a known field", ErrorCode.PARAMETER_UNKNOWN
        return FieldError(text, code, (shown,))
    if error["type"] == "missing":
        return FieldError(f"{name} is required", ErrorCode.PARAMETER_MISSING)
    return FieldError(f"{name} {error['ctx']['error']}")


def _at_least_one(schema: dict[str, Any]) -> None:
    schema["minProperties"] = 1
    for described in schema["properties"].values():
        options = [one for one in described.pop("anyOf", ()) if one != {"type": "null"}]
        described.update(options[0] if options else {})


class SettingsModel(RequestModel):
    """The body of a request that sets at least one field; those left out stay, none is null."""

    model_config = ConfigDict(json_schema_extra=_at_least_one)


def parse_json_object(raw: bytes) -> dict[str, Any]:
    """The JSON object in a body. Raises `InvalidInput` for invalid JSON, for a key that is there
    twice, and for anything but an object."""
    try:
        orjson.loads(raw)  # Refuses NaN, lone surrogates and deep nesting, which `json` accepts.
        body = json.loads(
            raw, parse_float=_parse_finite_float, object_pairs_hook=_reject_duplicate_keys
        )
    except ValueError as error:
        raise InvalidInput(f"body is not valid JSON: {error}", ErrorCode.BODY_INVALID) from error
    if not isinstance(body, dict):
        raise InvalidInput(NOT_AN_OBJECT, ErrorCode.BODY_INVALID)
    return body


def request_body_schema(model: type[RequestModel], required: bool = True) -> dict[str, Any]:
    """The `openapi_extra` of an endpoint that takes this body."""
    content = {"application/json": {"schema": model.model_json_schema()}}
    return {"requestBody": {"required": required, "content": content}}


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


def _require(accepts: Callable[[Any], bool], sentence: str) -> BeforeValidator:
    """Refuses other values than null and those accepted, with the rest of a sentence that begins
    with the field's name."""

    def check(value: Any) -> Any:
        if value is not None and not accepts(value):
            raise ValueError(sentence)
        return value

    return BeforeValidator(check)


# A value that is no text is read as an empty one; the check of its content refuses it by name.
Text = Annotated[str, BeforeValidator(lambda value: value if isinstance(value, str) else "")]
OptionalText = Annotated[
    str | None,
    BeforeValidator(lambda value: value if value is None or isinstance(value, str) else ""),
]
OptionalSymbol = Annotated[
    str | None,
    _require(
        lambda value: isinstance(value, str),
        "must be one of the supported token symbols, such as USDC",
    ),
    BeforeValidator(lambda value: None if value == "" else value),  # runs first
]
OptionalObject = Annotated[
    dict[str, Any] | None,
    _require(lambda value: isinstance(value, dict), "must be a JSON object"),
]
OptionalFlag = Annotated[
    bool | None, _require(lambda value: isinstance(value, bool), "must be true or false")
]


def within(minimum: int, maximum: int) -> dict[str, int]:
    """The limits of a number in a request, for the document; the use case checks them."""
    return {"minimum": minimum, "maximum": maximum}


IntegerString = Annotated[str, Field(pattern=r"^\d+$")]
# Rendered by `responses.json_decimal` and `responses.raw_json`, with every digit.
ExactNumber = Annotated[Any, WithJsonSchema({"type": "number"})]
ExactInteger = Annotated[Any, WithJsonSchema({"type": "integer"})]
JsonObject = Annotated[Any, WithJsonSchema({"type": "object", "additionalProperties": True})]


def field(description: str, *examples: Any, **more: Any) -> Any:
    """A field with its description and examples for the OpenAPI document."""
    extra = more.pop("extra", None)
    return Field(description=description, examples=list(examples), json_schema_extra=extra, **more)


def chain_field(description: str, example: str = "BASE_MAINNET", **more: Any) -> Any:
    """A chain identifier."""
    return field(description, example, extra={CHAINS: True}, **more)


def symbol_field(description: str, example: str = "USDC", **more: Any) -> Any:
    """A token symbol."""
    return field(description, example, extra={SYMBOLS: True}, **more)


def currency_field(description: str = "The currency.", **more: Any) -> Any:
    """A fiat currency."""
    return field(description, "NGN", extra={CURRENCIES: True}, **more)


def country_field(description: str = "The country.", **more: Any) -> Any:
    """A country with ramps."""
    return field(description, "NG", extra={COUNTRIES: True}, **more)


def bridge_field(description: str, example: str | None = "ACROSS") -> Any:
    """A bridge."""
    return field(description, example, extra={BRIDGES: True})


USDC_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
USDC_ARBITRUM = "0xaf88d065e77c8cC2239327C5EDb3A432268e5831"
# The public number of a record, in examples.
RECORD = 4807780642760409
WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
INTENT = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
TX = "0x8f1c6cf34b1c7a5cbb24f6b8a4f0a7de86e8f3c8c1f0d3a0a3e6a2a9d5f7b1c2"
TIME = "2026-11-21T10:53:00.000Z"
