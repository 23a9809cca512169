"""HTTP transport of the client: safe retries, idempotency keys, typed errors."""

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

from crossway.client.errors import APIConnectionError, ApiError, build_error

MAX_ATTEMPTS = 4
MAX_WAIT_SECONDS = 60.0
RETRYABLE_STATUSES = frozenset({429, 502, 503, 504})
_NOT_JSON = "the response is not from the API: is this the URL of a Crossway service?"
# Status of a request whose idempotency key is still in progress.
_IN_PROGRESS = 409


class Transport:
    """Sends requests with an API key. GET and POST are retried automatically; every POST has an
    `Idempotency-Key`, so a repeated one gets the first response."""

    def __init__(
        self,
        http: httpx.Client,
        sleep: Callable[[float], None] = time.sleep,
        tries: int = MAX_ATTEMPTS,
    ) -> None:
        self.http, self._sleep, self._tries = http, sleep, tries

    def get(self, path: str, **params: Any) -> Any:
        """Send a GET and return its JSON; parameters that are None are left out."""
        query = {name: _query_value(value) for name, value in params.items() if value is not None}
        return self._send("GET", path, params=query)

    def pages(self, path: str, name: str, size: int, **params: Any) -> Iterator[Any]:
        """Iterate over every record of a list; pages are fetched as needed."""
        cursor: str | None = None
        while True:
            page = self.get(path, limit=size, cursor=cursor, **params)
            yield from page[name]
            # Shapes of the specification are in camel case, all others in snake case.
            cursor = page["nextCursor"] if "nextCursor" in page else page["next_cursor"]
            if cursor is None:
                return

    def post(
        self,
        path: str,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        **params: Any,
    ) -> Any:
        """Send a POST and return its JSON. Your own idempotency key allows to repeat it later."""
        query = {name: _query_value(value) for name, value in params.items() if value is not None}
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        return self._send("POST", path, params=query, json=_json_body(body), headers=headers)

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        """Send a PATCH and return its JSON. It is idempotent and retried like a GET."""
        return self._send("PATCH", path, json=dict(body))

    def delete(self, path: str, **params: Any) -> Any:
        """Send a DELETE and return its JSON. It is not retried without a response, because a second
        one would respond 404."""
        query = {name: _query_value(value) for name, value in params.items() if value is not None}
        return self._send("DELETE", path, params=query)

    def upload(self, path: str, content: bytes, media_type: str, **params: Any) -> Any:
        """Send a POST with a file and return its JSON."""
        query = {name: _query_value(value) for name, value in params.items() if value is not None}
        headers = {"content-type": media_type, "idempotency-key": str(uuid.uuid4())}
        return self._send("POST", path, params=query, content=content, headers=headers)

    def _send(self, method: str, path: str, **request: Any) -> Any:
        for attempt in range(1, self._tries + 1):
            last = attempt == self._tries
            try:
                response = self.http.request(method, path, **request)
            except httpx.TransportError as error:
                if last or (method == "DELETE" and not isinstance(error, httpx.ConnectError)):
                    raise APIConnectionError(
                        f"{method} {path}: {type(error).__name__}: {error}"
                    ) from error
                self._sleep(_backoff(attempt))
                continue
            if response.is_success:
                return _parse_json(response)
            error_response = error_from_response(response)
            if last or not _should_retry(method, response):
                raise error_response
            wait = error_response.retry_after_seconds
            if wait is not None and wait > MAX_WAIT_SECONDS:
                raise error_response
            self._sleep(wait or _backoff(attempt))
        raise AssertionError("unreachable")


def path_segment(text: object) -> str:
    """A text quoted as one segment of a path."""
    return quote(str(text), safe="")


def error_from_response(response: httpx.Response) -> ApiError:
    """The exception for an unsuccessful response."""
    try:
        body = response.json()
    except ValueError:
        body = {}
    return build_error(
        response.status_code,
        body if isinstance(body, dict) else {},
        response.headers.get("x-request-id", ""),
        _retry_after_seconds(response),
    )


def _parse_json(response: httpx.Response) -> Any:
    """The JSON of a response with exact decimal numbers."""
    try:
        return json.loads(response.content, parse_float=Decimal) if response.content else None
    except ValueError as error:
        body = {"message": _NOT_JSON}
        raise build_error(
            response.status_code, body, response.headers.get("x-request-id", "")
        ) from error


def _should_retry(method: str, response: httpx.Response) -> bool:
    status = response.status_code
    if "idempotent-replayed" in response.headers:
        return False  # The stored response of this key does not change.
    return (
        status in RETRYABLE_STATUSES
        or (status == _IN_PROGRESS and method == "POST")
        or (status == 500 and method in ("GET", "PATCH"))
    )


def _retry_after_seconds(response: httpx.Response) -> float | None:
    """The seconds in `Retry-After`, in either of its forms; None without it."""
    retry_after = response.headers.get("retry-after", "")
    if retry_after.isdecimal():
        return float(retry_after)
    try:
        at = parsedate_to_datetime(retry_after).timestamp()
    except ValueError:
        return None
    return max(at - time.time(), 0.0)


def _backoff(attempt: int) -> float:
    """Exponential backoff with jitter: 0.25, 0.5, 1 … seconds, each reduced by up to a half."""
    return float(0.25 * 2 ** (attempt - 1) * random.uniform(0.5, 1.0))


def _query_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _json_body(body: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A body without None values; Decimal values become text."""
    if body is None:
        return None
    return {
        name: _query_value(value) if isinstance(value, Decimal) else value
        for name, value in body.items()
        if value is not None
    }
