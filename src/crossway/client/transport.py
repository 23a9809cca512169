"""One request and its answer: retries where they are safe, idempotency keys, errors as types."""

import json
import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

import httpx

from crossway.client.errors import ApiError, APIConnectionError, build_error

MAX_ATTEMPTS = 4
MAX_WAIT_SECONDS = 60.0
RETRYABLE_STATUSES = frozenset({429, 502, 503, 504})
_NOT_JSON = "the answer is not the API's: is this the address of a Crossway service?"
# The first of two equal requests is still under way: its answer is to be had soon.
_IN_PROGRESS = 409


class Transport:
    """Sends requests with a key. GET is tried again by itself, POST too, since every POST carries
    an `Idempotency-Key`: the service answers a repeated one with its first answer."""

    def __init__(
        self,
        http: httpx.Client,
        sleep: Callable[[float], None] = time.sleep,
        tries: int = MAX_ATTEMPTS,
    ) -> None:
        self.http, self._sleep, self._tries = http, sleep, tries

    def get(self, path: str, **params: Any) -> Any:
        """What a GET answers; parameters that are None are left out."""
        given = {name: _query_value(value) for name, value in params.items() if value is not None}
        return self._send("GET", path, params=given)

    def pages(self, path: str, name: str, size: int, **params: Any) -> Iterator[Any]:
        """Every record under `name` of a list, page after page as they are asked for."""
        cursor: str | None = None
        while True:
            page = self.get(path, limit=size, cursor=cursor, **params)
            yield from page[name]
            cursor = page["nextCursor"]
            if cursor is None:
                return

    def post(
        self,
        path: str,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        **params: Any,
    ) -> Any:
        """What a POST answers. Give your own idempotency key to repeat one after a restart."""
        given = {name: _query_value(value) for name, value in params.items() if value is not None}
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        return self._send("POST", path, params=given, json=_json_body(body), headers=headers)

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        """What a PATCH answers: it sets what it names, so it is sent again like a GET."""
        return self._send("PATCH", path, json=dict(body))

    def delete(self, path: str, **params: Any) -> Any:
        """What a DELETE answers. It is not sent again when no answer came: the second would say
        that there is nothing to delete."""
        given = {name: _query_value(value) for name, value in params.items() if value is not None}
        return self._send("DELETE", path, params=given)

    def upload(self, path: str, content: bytes, media_type: str, **params: Any) -> Any:
        """What a POST of a file answers."""
        given = {name: _query_value(value) for name, value in params.items() if value is not None}
        headers = {"content-type": media_type, "idempotency-key": str(uuid.uuid4())}
        return self._send("POST", path, params=given, content=content, headers=headers)

    def _send(self, method: str, path: str, **request: Any) -> Any:
        for attempt in range(1, self._tries + 1):
            last = attempt == self._tries
            try:
                answer = self.http.request(method, path, **request)
            except httpx.TransportError as error:
                if last or (method == "DELETE" and not isinstance(error, httpx.ConnectError)):
                    raise APIConnectionError(f"{method} {path}: {type(error).__name__}: {error}") from error
                self._sleep(_backoff(attempt))
                continue
            if answer.is_success:
                return _parse_json(answer)
            refused = error_from_response(answer)
            if last or not _should_retry(method, answer):
                raise refused
            wait = refused.retry_after_seconds
            if wait is not None and wait > MAX_WAIT_SECONDS:
                raise refused
            self._sleep(wait or _backoff(attempt))
        raise AssertionError("unreachable")


def path_segment(text: object) -> str:
    """A text as one part of a path, whatever is in it."""
    return quote(str(text), safe="")


def error_from_response(answer: httpx.Response) -> ApiError:
    """The exception for an answer that is not a success."""
    try:
        body = answer.json()
    except ValueError:
        body = {}
    return build_error(
        answer.status_code,
        body if isinstance(body, dict) else {},
        answer.headers.get("x-request-id", ""),
        _retry_after_seconds(answer),
    )


def _parse_json(answer: httpx.Response) -> Any:
    """The JSON of an answer, its decimal numbers exact."""
    try:
        return json.loads(answer.content, parse_float=Decimal) if answer.content else None
    except ValueError as error:
        told = {"message": _NOT_JSON}
        raise build_error(answer.status_code, told, answer.headers.get("x-request-id", "")) from error


def _should_retry(method: str, answer: httpx.Response) -> bool:
    status = answer.status_code
    if "idempotent-replayed" in answer.headers:
        return False  # Whatever this key's answer is, it stays that.
    return (
        status in RETRYABLE_STATUSES
        or (status == _IN_PROGRESS and method == "POST")
        or (status == 500 and method in ("GET", "PATCH"))
    )


def _retry_after_seconds(answer: httpx.Response) -> float | None:
    """Seconds that `Retry-After` asks for, in either of its forms; None without one."""
    asked = answer.headers.get("retry-after", "")
    if asked.isdecimal():
        return float(asked)
    try:
        at = parsedate_to_datetime(asked).timestamp()
    except ValueError:
        return None
    return max(at - time.time(), 0.0)


def _backoff(attempt: int) -> float:
    """0.25, 0.5, 1 … seconds, each less up to a half, so that clients do not come back at once."""
    return float(0.25 * 2 ** (attempt - 1) * random.uniform(0.5, 1.0))


def _query_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _json_body(body: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A body without what was not given; exact numbers are sent as text."""
    if body is None:
        return None
    return {
        name: _query_value(value) if isinstance(value, Decimal) else value
        for name, value in body.items()
        if value is not None
    }
