"""One request and its answer: retries where they are safe, idempotency keys, errors as types."""

import random
import time
import uuid
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from crossway.client.errors import NoAnswer, error_of

TRIES = 4
LONGEST_WAIT_SECONDS = 60.0
_LATER = frozenset({429, 502, 503, 504})
# The first of two equal requests is still under way: its answer is to be had soon.
_UNDER_WAY = 409


class Calls:
    """Sends requests with a key. GET is tried again by itself, POST too, since every POST carries
    an `Idempotency-Key`: the service answers a repeated one with its first answer."""

    def __init__(
        self,
        http: httpx.Client,
        sleep: Callable[[float], None] = time.sleep,
        tries: int = TRIES,
    ) -> None:
        self.http, self._sleep, self._tries = http, sleep, tries

    def get(self, path: str, **params: Any) -> Any:
        """What a GET answers; parameters that are None are left out."""
        given = {name: _text(value) for name, value in params.items() if value is not None}
        return self._send("GET", path, params=given)

    def post(
        self,
        path: str,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        **params: Any,
    ) -> Any:
        """What a POST answers. Give your own idempotency key to repeat one after a restart."""
        given = {name: _text(value) for name, value in params.items() if value is not None}
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        return self._send("POST", path, params=given, json=_without_none(body), headers=headers)

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        """What a PATCH answers: it sets what it names, so it may be sent twice."""
        return self._send("PATCH", path, json=dict(body))

    def delete(self, path: str, **params: Any) -> Any:
        """What a DELETE answers."""
        given = {name: _text(value) for name, value in params.items() if value is not None}
        return self._send("DELETE", path, params=given)

    def upload(self, path: str, content: bytes, media_type: str, **params: Any) -> Any:
        """What a POST of a file answers."""
        headers = {"content-type": media_type, "idempotency-key": str(uuid.uuid4())}
        return self._send("POST", path, params=params, content=content, headers=headers)

    def _send(self, method: str, path: str, **request: Any) -> Any:
        for attempt in range(1, self._tries + 1):
            last = attempt == self._tries
            try:
                answer = self.http.request(method, path, **request)
            except httpx.TransportError as error:
                if last:
                    raise NoAnswer(f"{method} {path}: {type(error).__name__}: {error}") from error
                self._sleep(_backoff(attempt))
                continue
            if answer.is_success:
                return answer.json() if answer.content else None
            if last or not _worth_another(method, answer):
                raise error_of(answer.status_code, _body(answer), answer.headers.get(_ID, ""))
            self._sleep(_wait_asked(answer) or _backoff(attempt))
        raise AssertionError("unreachable")


_ID = "x-request-id"


def _worth_another(method: str, answer: httpx.Response) -> bool:
    status = answer.status_code
    return (
        status in _LATER
        or (status == _UNDER_WAY and method == "POST")
        or (status == 500 and method == "GET")
    )


def _wait_asked(answer: httpx.Response) -> float:
    """Seconds that `Retry-After` asks for, in either of its forms; 0 without one."""
    asked = answer.headers.get("retry-after", "")
    if asked.isdigit():
        return min(float(asked), LONGEST_WAIT_SECONDS)
    try:
        at = parsedate_to_datetime(asked).timestamp()
    except ValueError:
        return 0.0
    return min(max(at - time.time(), 0.0), LONGEST_WAIT_SECONDS)


def _backoff(attempt: int) -> float:
    """0.25, 0.5, 1 … seconds, each less up to a half, so that clients do not come back at once."""
    return float(0.25 * 2 ** (attempt - 1) * random.uniform(0.5, 1.0))


def _body(answer: httpx.Response) -> Mapping[str, Any]:
    try:
        body = answer.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _without_none(body: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if body is None else {k: v for k, v in body.items() if v is not None}
