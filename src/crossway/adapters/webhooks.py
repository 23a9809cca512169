"""Posting webhooks to addresses that others chose, without being led inside."""

import ssl
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as LookUpTimeout
from functools import cached_property

import httpcore
import httpx

from crossway.adapters import webhooks_addresses as addresses
from crossway.adapters.webhooks_addresses import NOT_PUBLIC, Resolve, Target
from crossway.adapters.webhooks_connections import (
    EACH,
    IDLE_SECONDS,
    Pinned,
    Pools,
    left,
    now,
)
from crossway.domain.errors import Unreachable
from crossway.ports.webhooks import Answer

LIMIT_SECONDS = 10.0
_LOOK_UP_SECONDS, _LOOK_UPS = 4.0, 16
_READ_BYTES, KEPT_BYTES = 64 * 1024, 4 * 1024
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
        self._pools = Pools(self._pool)
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
        now.target, now.deadline = target, time.monotonic() + self._limit
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
            with (
                self._pools.of(target) as pool,
                pool.stream(
                    "POST", where, headers=fields, content=body, extensions=waits
                ) as response,
            ):
                return Answer(response.status, _beginning(response.iter_stream()))
        except httpcore.TimeoutException as error:
            raise Unreachable(f"gave no answer within {self._limit:g} s") from error
        except httpcore.ConnectError as error:
            raise Unreachable(f"the connection failed: {error}") from error
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise Unreachable(f"the connection broke: {error}") from error

    def close(self) -> None:
        """Let connections go."""
        self._pools.close()
        self._look_ups.shutdown(wait=False, cancel_futures=True)

    def _pool(self) -> httpcore.ConnectionPool:
        return httpcore.ConnectionPool(
            ssl_context=self._trusted,
            max_connections=EACH,
            max_keepalive_connections=EACH,
            keepalive_expiry=IDLE_SECONDS,
            network_backend=Pinned(self._pinned),
        )

    @cached_property
    def _trusted(self) -> ssl.SSLContext:
        return self._tls or httpx.create_ssl_context(trust_env=False)

    def _pinned(self, target: Target) -> list[str]:
        """The addresses to connect to; raises `Unreachable` unless every one may be asked."""
        found = self._addresses(target, min(_LOOK_UP_SECONDS, left()))
        if not addresses.allowed(target, found, self._loopback):
            raise Unreachable("its host does not lead to a public address")
        return found[:_MOST_ADDRESSES]

    def _addresses(self, target: Target, seconds: float) -> list[str]:
        try:
            found = self._look_ups.submit(self._resolve, target.host, target.port).result(seconds)
        except (OSError, UnicodeError, LookUpTimeout) as error:
            raise Unreachable(_UNKNOWN) from error
        return list(found)


def _beginning(chunks: Iterable[bytes]) -> str:
    """The beginning of a body as text; what is longer than anybody needs is not read."""
    found = bytearray()
    for chunk in chunks:
        found += chunk
        if len(found) >= _READ_BYTES:
            break
    return bytes(found[:KEPT_BYTES]).decode(errors="replace").replace("\x00", "�")
