"""A time limit for an HTTP request as a whole, connecting, headers and body together.

The usual time limits of HTTP clients begin again with each byte: a service that sends one header
byte a second would keep a thread for ever.
"""

import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from typing import Any

import httpcore
import httpx


class _CurrentRequest(threading.local):
    """When this thread's request must have ended (time.monotonic)."""

    ends_at: float = inf


_current = _CurrentRequest()


@contextmanager
def ending_within(seconds: float) -> Iterator[None]:
    """The requests of this thread in the block end within so many seconds, if their connections are
    `DeadlineStream`s."""
    _current.ends_at = time.monotonic() + seconds
    try:
        yield
    finally:
        _current.ends_at = inf


def remaining_seconds() -> float:
    """Seconds until the deadline of this thread's request, infinite without one. Raises
    `httpcore.ReadTimeout` after it."""
    remaining = _current.ends_at - time.monotonic()
    if remaining <= 0:
        raise httpcore.ReadTimeout("the deadline has passed")
    return remaining


def _shorter(timeout: float | None) -> float | None:
    limit = min(inf if timeout is None else timeout, remaining_seconds())
    return None if limit == inf else limit


class DeadlineStream(httpcore.NetworkStream):
    """A connection whose operations time out at the deadline of the request that uses it."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _shorter(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _shorter(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, _shorter(timeout))
        return DeadlineStream(secured)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _DeadlineBackend(httpcore.NetworkBackend):
    """Connects as usual."""

    def __init__(self) -> None:
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        limit = _shorter(timeout)
        return DeadlineStream(
            self._sockets.connect_tcp(host, port, limit, local_address, socket_options)
        )


class _DeadlineTransport(httpx.HTTPTransport):
    """That of httpx with connections of ours, for which it has no parameter."""

    def __init__(self) -> None:
        trusted = httpx.create_ssl_context(trust_env=False)
        super().__init__(verify=trusted, trust_env=False)
        self._pool = httpcore.ConnectionPool(
            ssl_context=trusted, network_backend=_DeadlineBackend(), keepalive_expiry=5.0
        )


def new_http_client(timeouts: httpx.Timeout) -> httpx.Client:
    """An HTTP client whose requests keep deadlines, without redirects and environment proxies."""
    return httpx.Client(
        transport=_DeadlineTransport(), timeout=timeouts, follow_redirects=False, trust_env=False
    )


def fetch(
    client: httpx.Client,
    method: str,
    url: str,
    seconds: float,
    max_bytes: int,
    params: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    json: Any = None,
) -> tuple[int, bytes | None]:
    """Status and body of a response that arrives within so many seconds; the body is None where it
    is too long. `json` is what the request contains. Raises `httpx.HTTPError` and
    `httpx.InvalidURL`."""
    content = bytearray()
    with (
        ending_within(seconds),
        client.stream(method, url, params=params, headers=headers, json=json) as response,
    ):
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > max_bytes:
                return response.status_code, None
        return response.status_code, bytes(content)
