"""Calling a provider over HTTP: signed requests, and failures told apart from refusals."""

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
# A call that is made again is not begun after this long: somebody waits for the answer.
RETRY_WINDOW_SECONDS = 6.0
MAX_BACKOFF_SECONDS = 2.0
MAX_REASON_CHARACTERS = 200
MAX_RESPONSE_BYTES = 4 * 2**20
MAX_READ_SECONDS = 8.0
AUTH_FAILURE_STATUSES: Final = frozenset({401, 403, 407})
RETRYABLE_STATUSES: Final = frozenset({408, 425, 429})
# Pieces shorter than this are too common to be hidden in a sentence.
MIN_REDACTED_CHARACTERS = 3

SignRequest = Callable[[str, str, bytes], Mapping[str, str]]


class ResourceNotFound(ProviderRejected):
    """The provider knows nothing of the kind."""


class _RetryableFailure(Exception):
    """This attempt failed in a way that another may not; `seconds` is what the provider asks."""

    def __init__(self, why: str, seconds: float | None = None) -> None:
        super().__init__(why)
        self.seconds = seconds


def new_client() -> httpx.Client:
    """A client for providers: short timeouts, no redirects, no proxy from the environment."""
    # They tell whole addresses, and an address can hold somebody's e-mail.
    for library in ("httpx", "httpcore"):
        logging.getLogger(library).setLevel(logging.WARNING)
    return httpx.Client(timeout=TIMEOUTS, follow_redirects=False, trust_env=False)


class ProviderHttpClient:
    """One provider's address; `sign` makes the headers of an attempt from the method, the target
    with its query, and the body. Answers are JSON in which numbers with a fraction stay text.
    `keys` are struck from whatever the provider says."""

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
        """Ask; made again when there is no answer. Raises `NotThere` and `ProviderRefused`."""
        target = f"{path}?{httpx.QueryParams(query)}" if query else path
        return self._call("GET", target, b"", (), safe=True)

    def post(
        self,
        path: str,
        body: Mapping[str, Any],
        redact: Collection[str] = (),
        idempotent: bool = False,
    ) -> Any:
        """Tell; made again only where `safe`. `hidden` are personal values, which are struck from
        the reason of a refusal."""
        return self._call("POST", path, orjson.dumps(body), redact, idempotent)

    def _call(
        self, method: str, target: str, body: bytes, hidden: Collection[str], safe: bool
    ) -> Any:
        began, wait = time.monotonic(), INITIAL_BACKOFF_SECONDS
        for left in range(MAX_ATTEMPTS if safe else 1, 0, -1):
            try:
                return self._attempt(method, target, body, hidden)
            except _RetryableFailure as failure:
                seconds = wait if failure.seconds is None else failure.seconds
                late = time.monotonic() - began + seconds > RETRY_WINDOW_SECONDS
                if left == 1 or late or seconds > MAX_BACKOFF_SECONDS:
                    raise Unreachable(str(failure)) from None
            self._pause(seconds)
            wait *= 2
        raise AssertionError("every attempt ends in an answer or an exception")

    def _attempt(self, method: str, target: str, body: bytes, hidden: Collection[str]) -> Any:
        headers = {"Accept": "application/json", **self._sign(method, target, body)}
        if body:
            headers["Content-Type"] = "application/json"
        try:
            with self._client.stream(
                method, self._base + target, content=body or None, headers=headers
            ) as answer:
                said = _read(answer)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _RetryableFailure(
                f"{self.title} gave no answer: {type(error).__name__}"
            ) from None
        if said is None:
            raise Unreachable(f"{self.title}'s answer is too long, or takes too long")
        return self._judge(answer, said, hidden)

    def _judge(self, answer: httpx.Response, said: bytes, hidden: Collection[str]) -> Any:
        status = answer.status_code
        if status in RETRYABLE_STATUSES or status >= 500:
            raise _RetryableFailure(
                f"{self.title} answered with status {status}", _asked_to_wait(answer)
            )
        if status in AUTH_FAILURE_STATUSES:
            raise Unreachable(f"{self.title} does not accept Crossway's key (status {status})")
        if 200 <= status < 300:
            return self._parsed(said)
        if status < 400:
            raise Unreachable(f"{self.title} answered with status {status}")
        kind = ResourceNotFound if status == 404 else ProviderRejected
        reason = self.sanitize(_words(said), hidden) or f"no reason given (status {status})"
        raise kind(f"{self.title} refused: {reason}")

    def sanitize(self, said: str, hidden: Collection[str] = ()) -> str:
        """What the provider says in one short line, without our keys and what is personal."""
        pieces = {*hidden, *(key.get_secret_value() for key in self._keys)}
        for piece in sorted(pieces, key=len, reverse=True):
            if len(piece) >= MIN_REDACTED_CHARACTERS:
                said = said.replace(piece, "…")
        line = "".join(c if c.isprintable() else " " for c in said)
        return " ".join(line.split())[:MAX_REASON_CHARACTERS]

    def _parsed(self, said: bytes) -> Any:
        try:
            return parse_json(said)
        except ValueError:
            raise Unreachable(f"{self.title}'s answer is not JSON") from None


def parse_json(content: bytes) -> Any:
    """JSON without floats: a number with a fraction stays the text it was sent as. Raises
    `ValueError`."""
    try:
        return json.loads(content, parse_float=str, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def _asked_to_wait(answer: httpx.Response) -> float | None:
    text = answer.headers.get("Retry-After", "")
    return float(text) if text.isascii() and text.isdigit() and len(text) < 7 else None


def _read(answer: httpx.Response) -> bytes | None:
    """The body; None for one that floods, or drips for longer than anybody waits."""
    began, said = time.monotonic(), bytearray()
    for chunk in answer.iter_bytes():
        said += chunk
        if len(said) > MAX_RESPONSE_BYTES or time.monotonic() - began > MAX_READ_SECONDS:
            return None
    return bytes(said)


def _words(said: bytes) -> str:
    try:
        return _sentence(parse_json(said))
    except ValueError:
        return ""


def _sentence(said: Any) -> str:
    """The words of an error: under `message` or `error`, and of each field under `data`."""
    if isinstance(said, list):
        return "; ".join(filter(None, map(_sentence, said)))
    if not isinstance(said, dict):
        return said if isinstance(said, str) else ""
    words = [_sentence(said.get(key)) for key in ("message", "error", "data")]
    named = said.get("field")
    text = ": ".join(filter(None, words))
    return f"{named} {text}" if isinstance(named, str) else text
