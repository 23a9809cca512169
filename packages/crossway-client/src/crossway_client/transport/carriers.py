"""The two transports: they carry out the steps of a call, waiting or awaiting."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, closing
from functools import partial
from typing import Any, TypeVar

import httpx

from crossway_client.transport.requests import Request
from crossway_client.transport.steps import (
    Emit,
    Exchange,
    Feed,
    OpenStream,
    SendRequest,
    Sleep,
    Step,
    once,
)

T = TypeVar("T")


class SyncCarrier:
    """Carries out calls on an `httpx.Client`; `sleep` waits for some seconds."""

    def __init__(
        self,
        http: httpx.Client,
        exchange: Exchange,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._http, self._exchange, self._sleep = http, exchange, sleep

    def call(self, request: Request[T]) -> T:
        """The result of a request."""
        return next(self.feed(once(request)))

    def feed(self, feed: Feed[T]) -> Iterator[T]:
        """The results of a feed, as they come."""
        stream = _Stream(self._http)
        with closing(feed.steps(self._exchange)) as steps, closing(stream):
            advance: Callable[[], Any] = partial(next, steps)
            while True:
                try:
                    step = advance()
                except StopIteration:
                    return
                if isinstance(step, Emit):
                    yield step.value
                    advance = partial(next, steps)
                    continue
                try:
                    advance = partial(steps.send, self._take(step, stream))
                except httpx.RequestError as error:
                    advance = partial(steps.throw, error)

    def _take(self, step: Step, stream: "_Stream") -> Any:
        """Take a step and return its outcome."""
        if isinstance(step, SendRequest):
            return self._http.send(step.request)
        if isinstance(step, Sleep):
            return self._sleep(step.seconds)
        return stream.open(step.request) if isinstance(step, OpenStream) else stream.read()


class _Stream:
    """The response that is being read in pieces; opening another closes it."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self._response: httpx.Response | None = None
        self._pieces: Iterator[bytes] = iter(())

    def open(self, request: httpx.Request) -> httpx.Response:
        self.close()
        self._response = self._http.send(request, stream=True)
        if self._response.is_success:
            self._pieces = self._response.iter_bytes()
        else:
            self._response.read()
        return self._response

    def read(self) -> bytes | None:
        return next(self._pieces, None)

    def close(self) -> None:
        if self._response is not None:
            self._response.close()


class AsyncCarrier:
    """Carries out calls on an `httpx.AsyncClient`; `sleep` waits for some seconds."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        exchange: Exchange,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._http, self._exchange, self._sleep = http, exchange, sleep

    async def call(self, request: Request[T]) -> T:
        """The result of a request."""
        async with aclosing(self.feed(once(request))) as results:
            return await anext(results)

    async def feed(self, feed: Feed[T]) -> AsyncGenerator[T, None]:
        """The results of a feed, as they come."""
        stream = _AsyncStream(self._http)
        with closing(feed.steps(self._exchange)) as steps:
            async with aclosing(stream):
                advance: Callable[[], Any] = partial(next, steps)
                while True:
                    try:
                        step = advance()
                    except StopIteration:
                        return
                    if isinstance(step, Emit):
                        yield step.value
                        advance = partial(next, steps)
                        continue
                    try:
                        advance = partial(steps.send, await self._take(step, stream))
                    except httpx.RequestError as error:
                        advance = partial(steps.throw, error)

    async def _take(self, step: Step, stream: "_AsyncStream") -> Any:
        """Take a step and return its outcome."""
        if isinstance(step, SendRequest):
            return await self._http.send(step.request)
        if isinstance(step, Sleep):
            return await self._sleep(step.seconds)
        return await (stream.open(step.request) if isinstance(step, OpenStream) else stream.read())


class _AsyncStream:
    """The response that is being read in pieces; opening another closes it."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self._response: httpx.Response | None = None
        self._pieces: AsyncIterator[bytes] | None = None

    async def open(self, request: httpx.Request) -> httpx.Response:
        await self.aclose()
        self._response = await self._http.send(request, stream=True)
        if self._response.is_success:
            self._pieces = self._response.aiter_bytes()
        else:
            await self._response.aread()
        return self._response

    async def read(self) -> bytes | None:
        return None if self._pieces is None else await anext(self._pieces, None)

    async def aclose(self) -> None:
        if self._response is not None:
            await self._response.aclose()
