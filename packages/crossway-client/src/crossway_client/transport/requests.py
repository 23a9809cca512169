"""Requests as data: method, path, parameters and result type, and how they become HTTP."""

import json
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, Generic, NamedTuple, TypeVar
from urllib.parse import quote

import httpx

from crossway_client.records.base import Record
from crossway_client.transport.errors import (
    ApiError,
    InvalidArgument,
    UnexpectedResponse,
    build_error,
)
from crossway_client.transport.retries import parse_retry_after

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")
R = TypeVar("R", bound=Record)
_MAX_KEY: Final = 255


class Answer(NamedTuple):
    """A successful response: its JSON with exact decimals, and its header fields."""

    json: Any
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class File:
    """A request body that is a file."""

    content: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Request(Generic[T_co]):
    """One request. `path` is a template below `/api/v1`, filled with `segments`; None values of
    `query` and `body` are left out; `result` turns the answer into what the call returns."""

    method: str
    path: str
    result: Callable[[Answer], T_co]
    segments: Mapping[str, object] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | File | None = None
    idempotency_key: str | None = None

    @property
    def url(self) -> str:
        """The path with its segments, each quoted. Raises `InvalidArgument` for one that would lead
        to another path."""
        return self.path.format(**{name: _segment(name, v) for name, v in self.segments.items()})

    def new_key(self) -> str | None:
        """The idempotency key to send: the caller's or a new one for a POST, else None. Raises
        `InvalidArgument` for one that a header field does not carry as it is."""
        if self.method != "POST":
            return None
        key = str(uuid.uuid4()) if self.idempotency_key is None else self.idempotency_key
        is_plain = key.isascii() and key.isprintable() and key == key.strip()
        if not (is_plain and 1 <= len(key) <= _MAX_KEY):
            raise InvalidArgument(
                f"idempotency_key must be 1 to {_MAX_KEY} printable ASCII characters without "
                f"spaces around them, not {key[:_MAX_KEY]!r}"
            )
        return key


class Page(NamedTuple, Generic[T]):
    """One page of a list; `next_cursor` is None on the last one."""

    items: Sequence[T]
    next_cursor: str | None


def get(path: str, result: Callable[[Answer], T_co], **segments: object) -> Request[T_co]:
    """A GET without a query."""
    return Request("GET", path, result, segments)


def record(kind: type[R]) -> Callable[[Answer], R]:
    """The result of a call that returns one record."""
    return lambda answer: kind.parse(answer.json)


def records(kind: type[R]) -> Callable[[Answer], list[R]]:
    """The result of a call that returns a JSON array of records."""
    return lambda answer: [kind.parse(item) for item in answer.json]


def member(name: str, kind: type[R]) -> Callable[[Answer], R]:
    """The result of a call whose record is a member of the answer."""
    return lambda answer: kind.parse(answer.json[name])


def page_of(name: str, kind: type[R]) -> Callable[[Answer], Page[R]]:
    """The result of a request of one page, whose records are the member `name`."""

    def parse(answer: Answer) -> Page[R]:
        # The specification's own lists are in camel case, all others in snake case.
        cursor = answer.json.get("nextCursor") or answer.json.get("next_cursor")
        return Page([kind.parse(item) for item in answer.json[name]], cursor)

    return parse


def nothing(answer: Answer) -> None:
    """The result of a call that returns nothing."""


def query_values(values: Mapping[str, Any]) -> dict[str, str]:
    """Query parameters as text, without those that are None."""
    return {name: _query_text(value) for name, value in values.items() if value is not None}


def encode_body(body: Mapping[str, Any]) -> bytes:
    """A JSON body; exact decimals and instants become text."""
    return json.dumps(body, default=_json_text, allow_nan=False).encode()


def given(**values: Any) -> dict[str, Any]:
    """The values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def smallest_units(amount: int | None) -> str | None:
    """An amount in the smallest unit as the API takes it."""
    return None if amount is None else str(amount)


def optional_list(values: Iterable[str] | None) -> list[str] | None:
    """A list of texts for a JSON body."""
    return None if values is None else list(values)


def parse_answer(response: httpx.Response, request: Request[T_co]) -> T_co:
    """The result of a successful response. Raises `UnexpectedResponse`."""
    try:
        content = json.loads(response.content, parse_float=Decimal) if response.content else None
        return request.result(Answer(content, response.headers))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnexpectedResponse(
            f"{request.method} {request.url}: {response.status_code}: the response is not from "
            "this API: is this the URL of a Crossway service, and of a version that fits?"
        ) from error


def raise_if_redirect(response: httpx.Response) -> None:
    """Raise `UnexpectedResponse` for a redirect: the key is not sent to another URL by itself. The
    query is not named, which may have an e-mail address or the signature of a link."""
    if response.has_redirect_location:
        target = response.headers["location"].partition("?")[0]
        raise UnexpectedResponse(f"the service redirects to {target}: use its URL for the client")


def parse_error(response: httpx.Response) -> ApiError:
    """The exception for an unsuccessful response."""
    try:
        body = response.json()
    except ValueError:
        body = {}
    return build_error(
        response.status_code,
        body if isinstance(body, dict) else {},
        response.headers.get("x-request-id", ""),
        parse_retry_after(response.headers.get("retry-after", "")),
    )


def _segment(name: str, value: object) -> str:
    text = str(value)
    if text in ("", ".", ".."):
        raise InvalidArgument(f"{name} must name a resource, not {text!r}")
    return quote(text, safe="")


def _query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ",".join(map(_query_text, value))
    return _json_text(value) if isinstance(value, Decimal | date) else str(value)


def _json_text(value: Any) -> str:
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value} needs a time zone")
        return value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")
