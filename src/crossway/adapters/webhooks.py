"""Posting webhooks to addresses that others chose, without being led inside."""

import ssl
import threading
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as LookUpTimeout
from functools import cached_property
from typing import Any

import httpcore
import httpx

from crossway.adapters import webhooks_addresses as addresses
from crossway.adapters.webhooks_addresses import NOT_PUBLIC, Resolve, Target
from crossway.domain.errors import Unreachable
from crossway.ports.webhooks import Answer

LIMIT_SECONDS = 10.0
_LOOK_UP_SECONDS, _LOOK_UPS = 4.0, 16
_READ_BYTES, KEPT_BYTES = 64 * 1024, 4 * 1024
_CONNECTIONS, _IDLE_SECONDS = 128, 20.0
_MOST_ADDRESSES = 4
_UNKNOWN = "its host has no address that is known now"


class HttpSender:
    """`ports.webhooks.WebhookSender` over HTTP/1.1; used by many threads at once.

    A host is resolved here, once for each connection, which is then opened to that very address;
    the certificate and the `Host` field stay those of the name. Proxies are never used.
    """

    def __init__(
        self,
        loopback: bool = False,
        resolve: Resolve = addresses.look_up,
        tls: ssl.SSLContext | None = None,
        limit_seconds: float = LIMIT_SECONDS,
    ) -> None:
        """`loopback` allows this machine's own addresses, over http too; `tls` None trusts whom
        the system trusts."""
        self._loopback, self._resolve, self._tls = loopback, resolve, tls
        self._limit = limit_seconds
        self._look_ups = ThreadPoolExecutor(_LOOK_UPS, thread_name_prefix="webhook-names")

    def objection(self, url: str) -> str | None:
        try:
            target = addresses.read(url, self._loopback)
        except ValueError as error:
            return str(error)
        try:
            found = self._addresses(target, _LOOK_UP_SECONDS)
        except Unreachable:
            return None
        return None if addresses.allowed(target, found, self._loopback) else NOT_PUBLIC

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        try:
            target = addresses.read(url, self._loopback)
        except ValueError as error:
            raise Unreachable(f"its URL {error}") from error
        _now.target, _now.deadline = target, time.monotonic() + self._limit
        fields = [(b"host", target.shown_host.encode()), (b"accept-encoding", b"identity")]
        fields += [(name.encode(), value.encode()) for name, value in headers.items()]
        fields.append((b"content-length", str(len(body)).encode()))
        where = httpcore.URL(
            scheme=b"https" if target.secure else b"http",
            host=target.host.encode(),
            port=target.port,
            target=target.path.encode(),
        )
        try:
            waits = {"timeout": {"pool": self._limit}}
            with self._pool.stream(
                "POST", where, headers=fields, content=body, extensions=waits
            ) as response:
                return Answer(response.status, _beginning(response.iter_stream()))
        except httpcore.TimeoutException as error:
            raise Unreachable(f"gave no answer within {self._limit:g} s") from error
        except httpcore.ConnectError as error:
            raise Unreachable(f"the connection failed: {error}") from error
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise Unreachable(f"the connection broke: {error}") from error

    def close(self) -> None:
        """Let connections go."""
        if "_pool" in self.__dict__:
            self._pool.close()
        self._look_ups.shutdown(wait=False, cancel_futures=True)

    @cached_property
    def _pool(self) -> httpcore.ConnectionPool:
        return httpcore.ConnectionPool(
            ssl_context=self._tls or httpx.create_ssl_context(trust_env=False),
            max_connections=_CONNECTIONS,
            max_keepalive_connections=_CONNECTIONS,
            keepalive_expiry=_IDLE_SECONDS,
            network_backend=_Pinned(self),
        )

    def pinned(self, target: Target) -> list[str]:
        """The addresses to connect to; raises `Unreachable` unless every one may be asked."""
        found = self._addresses(target, min(_LOOK_UP_SECONDS, _left()))
        if not addresses.allowed(target, found, self._loopback):
            raise Unreachable("its host does not lead to a public address")
        return found[:_MOST_ADDRESSES]

    def _addresses(self, target: Target, seconds: float) -> list[str]:
        try:
            found = self._look_ups.submit(self._resolve, target.host, target.port).result(seconds)
        except (OSError, UnicodeError, LookUpTimeout) as error:
            raise Unreachable(_UNKNOWN) from error
        return list(found)


class _Now(threading.local):
    """What this thread's request is, and until when (time.monotonic) it may take."""

    target: Target
    deadline: float


_now = _Now()


def _left() -> float:
    """Seconds that this thread's request may still take."""
    left = _now.deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the time is over")
    return left


def _beginning(chunks: Iterable[bytes]) -> str:
    """The beginning of a body as text; what is longer than anybody needs is not read."""
    found = bytearray()
    for chunk in chunks:
        found += chunk
        if len(found) >= _READ_BYTES:
            break
    return bytes(found[:KEPT_BYTES]).decode(errors="replace").replace("\x00", "�")


class _Pinned(httpcore.NetworkBackend):
    """Connects to the addresses that were looked at, whatever the name leads to a moment later."""

    def __init__(self, sender: HttpSender) -> None:
        self._sender = sender
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        found = self._sender.pinned(_now.target)
        for number, address in enumerate(found):
            share = _left() / (len(found) - number)
            try:
                return _Timed(self._sockets.connect_tcp(address, port, share))
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(found) - 1:
                    raise
        raise AssertionError("unreachable")


class _Timed(httpcore.NetworkStream):
    """A connection whose every wait ends when the request's time is over."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        return _Timed(self._stream.start_tls(ssl_context, server_hostname, _left()))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
