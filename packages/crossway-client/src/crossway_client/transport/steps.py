"""What a call does, step by step, without doing it: `carriers` carry the steps out.

Retries, pages, watching and the event stream are written once, for the synchronous and the
asynchronous client, as generators: they yield steps, and get back the outcome of each or its
`httpx.RequestError`. What they yield as `Emit` is the caller's.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

import httpx

from crossway_client.transport.errors import APIConnectionError, CrosswayError
from crossway_client.transport.requests import (
    File,
    Page,
    Request,
    encode_body,
    parse_answer,
    parse_error,
    query_values,
    raise_if_redirect,
)
from crossway_client.transport.retries import RetryPolicy, backoff_seconds, may_repeat, may_retry

T = TypeVar("T")
ErrorT = TypeVar("ErrorT", bound=CrosswayError)


@dataclass(frozen=True, slots=True)
class SendRequest:
    """Send a request; the outcome is its `httpx.Response` with its body."""

    request: httpx.Request


@dataclass(frozen=True, slots=True)
class OpenStream:
    """Send a request whose response is read in pieces; the outcome is its `httpx.Response`."""

    request: httpx.Request


@dataclass(frozen=True, slots=True)
class ReadChunk:
    """Read the next piece of the response opened last; the outcome is bytes, None at the end."""


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait for some seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Emit(Generic[T]):
    """A result for the caller."""

    value: T


Step: TypeAlias = SendRequest | OpenStream | ReadChunk | Sleep
Steps: TypeAlias = Generator[Step | Emit[T], Any, None]


class Exchange:
    """Turns requests into steps. `build` makes an `httpx.Request` with the client's settings."""

    def __init__(self, build: Callable[..., httpx.Request], policy: RetryPolicy) -> None:
        self.build, self._policy = build, policy

    def send(self, request: Request[T]) -> Generator[Step, Any, T]:
        """Send a request until it has a final response, and return its result.

        Every POST has an idempotency key, the caller's or a new one, which is the same for each
        attempt. Raises `ApiError`, `APIConnectionError`, `UnexpectedResponse` and
        `InvalidArgument`.
        """
        key = request.new_key()
        http_request = self._build(request, key)
        for attempt in range(1, self._policy.attempts + 1):
            last = attempt == self._policy.attempts
            try:
                response: httpx.Response = yield SendRequest(http_request)
            except httpx.RequestError as error:
                if last or not may_repeat(request.method, error):
                    raise _with_key(APIConnectionError(_describe(request, error)), key) from error
                yield Sleep(backoff_seconds(attempt))
                continue
            if response.is_success:
                return parse_answer(response, request)
            raise_if_redirect(response)
            refused = parse_error(response)
            wait = refused.retry_after_seconds
            too_long = wait is not None and wait > self._policy.max_wait_seconds
            if last or too_long or not may_retry(request.method, response):
                raise _with_key(refused, key)
            yield Sleep(wait or backoff_seconds(attempt, response.status_code))
        raise AssertionError("the last attempt returns or raises")

    def _build(self, request: Request[Any], key: str | None) -> httpx.Request:
        headers, content = dict[str, str](), b""
        if isinstance(request.body, File):
            headers["content-type"], content = request.body.media_type, request.body.content
        elif request.body is not None:
            headers["content-type"], content = "application/json", encode_body(request.body)
        if key is not None:
            headers["idempotency-key"] = key
        query = query_values(request.query) or None
        return self.build(
            request.method, request.url, params=query, headers=headers, content=content
        )


@dataclass(frozen=True, slots=True)
class Feed(Generic[T]):
    """Results that come one after another, as the steps that an exchange makes of them."""

    steps: Callable[[Exchange], Steps[T]]


def once(request: Request[T]) -> Feed[T]:
    """The result of one request, as the only item."""

    def steps(exchange: Exchange) -> Steps[T]:
        yield Emit((yield from exchange.send(request)))

    return Feed(steps)


def pages(request: Request[Page[T]]) -> Feed[T]:
    """Every record of a list; the next page is requested when it is needed."""

    def steps(exchange: Exchange) -> Steps[T]:
        cursor: str | None = None
        while True:
            asked = replace(request, query={**request.query, "cursor": cursor})
            page = yield from exchange.send(asked)
            yield from map(Emit, page.items)
            cursor = page.next_cursor
            if cursor is None:
                return

    return Feed(steps)


def changes(
    request: Request[T],
    every_seconds: float,
    status: Callable[[T], object],
    ended: Callable[[T], bool],
) -> Feed[T]:
    """A record now and whenever its `status` has changed, until it has ended."""

    def steps(exchange: Exchange) -> Steps[T]:
        last: object = None
        while True:
            now = yield from exchange.send(request)
            if status(now) != last:
                last = status(now)
                yield Emit(now)
            if ended(now):
                return
            yield Sleep(every_seconds)

    return Feed(steps)


def content(path: str) -> Feed[bytes]:
    """What a path has, in pieces as they arrive; a download that breaks is not resumed. No error
    has the query of the path: the signature in it opens the file."""

    def steps(exchange: Exchange) -> Steps[bytes]:
        try:
            response: httpx.Response = yield OpenStream(exchange.build("GET", path))
            raise_if_redirect(response)
            if not response.is_success:
                raise parse_error(response)
            while (piece := (yield ReadChunk())) is not None:
                yield Emit(piece)
        except httpx.RequestError as error:
            name = path.partition("?")[0]
            raise APIConnectionError(f"GET {name}: {describe_failure(error)}") from error

    return Feed(steps)


def describe_failure(error: httpx.RequestError) -> str:
    """Why there is no response, as the end of a sentence."""
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return f"{error.request.url.netloc.decode()} cannot be reached"
    if isinstance(error, httpx.TimeoutException):
        return "the service did not respond in time"
    return "the connection broke before the whole response had arrived"


def _with_key(error: ErrorT, key: str | None) -> ErrorT:
    error.idempotency_key = key
    return error


def _describe(request: Request[Any], error: httpx.RequestError) -> str:
    return f"{request.method} {request.url}: {describe_failure(error)}"
