"""The HTTP client of the real providers: signed requests, retries, and errors mapped to
`Unreachable` or `ProviderRejected`."""

import json
import logging
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

import httpx
import orjson
from pydantic import SecretStr

from crossway.domain.errors import Unreachable
from crossway.ports.ramps import ProviderRejected

TIMEOUTS: Final = httpx.Timeout(8.0, connect=3.0)
MAX_ATTEMPTS = 3
INITIAL_BACKOFF_SECONDS = 0.2
# No retry starts after this time, as a caller is waiting.
RETRY_WINDOW_SECONDS = 6.0
MAX_BACKOFF_SECONDS = 2.0
MAX_REASON_CHARACTERS = 200
MAX_RESPONSE_BYTES = 4 * 2**20
MAX_READ_SECONDS = 8.0
AUTH_FAILURE_STATUSES: Final = frozenset({401, 403, 407})
RETRYABLE_STATUSES: Final = frozenset({408, 425, 429})
# Values shorter than this are too common to be redacted.
MIN_REDACTED_CHARACTERS = 3

SignRequest = Callable[[str, str, bytes], Mapping[str, str]]


class ResourceNotFound(ProviderRejected):
    """The provider answered 404."""


class _RetryableFailure(Exception):
    """A failed attempt that may be retried, after `seconds` if the provider sent Retry-After."""

    def __init__(self, reason: str, delay: float | None = None) -> None:
        super().__init__(reason)
        self.seconds = delay


def new_client() -> httpx.Client:
    """An HTTP client with short timeouts, without redirects and environment proxies."""
    # These libraries log full URLs, which can contain e-mail addresses.
    for library in ("httpx", "httpcore"):
        logging.getLogger(library).setLevel(logging.WARNING)
    return httpx.Client(timeout=TIMEOUTS, follow_redirects=False, trust_env=False)


class ProviderHttpClient:
    """The client of one provider's API. `sign` builds the headers of each attempt from the method,
    the target with its query, and the body. Responses are JSON in which fractional numbers stay
    text. `keys` are redacted from the provider's messages."""

    def __init__(
        self,
        title: str,
        base_url: str,
        client: httpx.Client,
        sign: SignRequest,
        pause: Callable[[float], None] = time.sleep,
        keys: Collection[SecretStr] = (),
    ) -> None:
        self.title = title
        self._base = base_url.rstrip("/")
        self._client = client
        self._sign = sign
        self._pause = pause
        self._keys = keys

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Any:
        """Send a GET request, with retries. Raises `ResourceNotFound`, `ProviderRejected` and
        `Unreachable`."""
        target = f"{path}?{httpx.QueryParams(query)}" if query else path
        return self._call("GET", target, b"", (), idempotent=True)

    def post(
        self,
        path: str,
        body: Mapping[str, Any],
        redact: Collection[str] = (),
        idempotent: bool = False,
    ) -> Any:
        """Send a POST request, with retries only if `idempotent`. `redact` are personal values
        that are removed from the reason of a rejection."""
        return self._call("POST", path, orjson.dumps(body), redact, idempotent)

    def _call(
        self, method: str, target: str, body: bytes, redact: Collection[str], idempotent: bool
    ) -> Any:
        started_at, backoff = time.monotonic(), INITIAL_BACKOFF_SECONDS
        for attempts_left in range(MAX_ATTEMPTS if idempotent else 1, 0, -1):
            try:
                return self._attempt(method, target, body, redact)
            except _RetryableFailure as failure:
                delay = backoff if failure.seconds is None else failure.seconds
                is_late = time.monotonic() - started_at + delay > RETRY_WINDOW_SECONDS
                if attempts_left == 1 or is_late or delay > MAX_BACKOFF_SECONDS:
                    raise Unreachable(str(failure)) from None
            self._pause(delay)
            backoff *= 2
        raise AssertionError("every attempt ends in an answer or an exception")

    def _attempt(self, method: str, target: str, body: bytes, redact: Collection[str]) -> Any:
        headers = {"Accept": "application/json", **self._sign(method, target, body)}
        if body:
            headers["Content-Type"] = "application/json"
        try:
            with self._client.stream(
                method, self._base + target, content=body or None, headers=headers
            ) as response:
                content = _read_body(response)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _RetryableFailure(
                f"{self.title} gave no answer: {type(error).__name__}"
            ) from None
        if content is None:
            raise Unreachable(f"{self.title}'s answer is too long, or takes too long")
        return self._check_status(response, content, redact)

    def _check_status(
        self, response: httpx.Response, content: bytes, redact: Collection[str]
    ) -> Any:
        status = response.status_code
        if status in RETRYABLE_STATUSES or status >= 500:
            raise _RetryableFailure(
                f"{self.title} answered with status {status}", _retry_after(response)
            )
        if status in AUTH_FAILURE_STATUSES:
            raise Unreachable(f"{self.title} does not accept Crossway's key (status {status})")
        if 200 <= status < 300:
            return self._parse_content(content)
        if status < 400:
            raise Unreachable(f"{self.title} answered with status {status}")
        error_class = ResourceNotFound if status == 404 else ProviderRejected
        reason = (
            self.sanitize(_error_message(content), redact) or f"no reason given (status {status})"
        )
        raise error_class(f"{self.title} refused: {reason}")

    def sanitize(self, content: str, redact: Collection[str] = ()) -> str:
        """A provider's message as one short line, without our keys and the values in `redact`."""
        secrets = {*redact, *(key.get_secret_value() for key in self._keys)}
        for secret in sorted(secrets, key=len, reverse=True):
            if len(secret) >= MIN_REDACTED_CHARACTERS:
                content = content.replace(secret, "…")
        printable = "".join(c if c.isprintable() else " " for c in content)
        return " ".join(printable.split())[:MAX_REASON_CHARACTERS]

    def _parse_content(self, content: bytes) -> Any:
        try:
            return parse_json(content)
        except ValueError:
            raise Unreachable(f"{self.title}'s answer is not JSON") from None


def parse_json(content: bytes) -> Any:
    """Parse JSON without floats: a fractional number stays the text it was sent as. Raises
    `ValueError`."""
    try:
        return json.loads(content, parse_float=str, parse_constant=_reject_constant)
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def _reject_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def _retry_after(response: httpx.Response) -> float | None:
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isascii() and text.isdigit() and len(text) < 7 else None


def _read_body(response: httpx.Response) -> bytes | None:
    """The body; None when it is too large or arrives too slowly."""
    started_at, content = time.monotonic(), bytearray()
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > MAX_RESPONSE_BYTES or time.monotonic() - started_at > MAX_READ_SECONDS:
            return None
    return bytes(content)


def _error_message(content: bytes) -> str:
    try:
        return _error_text(parse_json(content))
    except ValueError:
        return ""


def _error_text(content: Any) -> str:
    """The text of an error: under `message` or `error`, and by field under `data`."""
    if isinstance(content, list):
        return "; ".join(filter(None, map(_error_text, content)))
    if not isinstance(content, dict):
        return content if isinstance(content, str) else ""
    parts = [_error_text(content.get(key)) for key in ("message", "error", "data")]
    field = content.get("field")
    text = ": ".join(filter(None, parts))
    return f"{field} {text}" if isinstance(field, str) else text
