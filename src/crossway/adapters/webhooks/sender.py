"""Posting webhooks to addresses that others chose, without being led inside."""

import ssl
import time
from collections.abc import Iterable, Mapping
from functools import cached_property

import httpcore
import httpx

from crossway.adapters.webhooks import addresses
from crossway.adapters.webhooks.addresses import NOT_PUBLIC, Resolve, Target
from crossway.adapters.webhooks.connections import (
    EACH,
    IDLE_SECONDS,
    Pinned,
    Pools,
    left,
    now,
)
from crossway.adapters.webhooks.names import Names
from crossway.domain.errors import Unreachable
from crossway.ports.webhooks import Answer

LIMIT_SECONDS = 10.0
# A resolver gives up after half a minute: in that time those who send, ill endpoints on half of
# the threads, begin fewer look-ups than there is room for.
_LOOK_UP_SECONDS, LOOK_UPS, _LOOK_UPS_OF_CHECKS = 4.0, 64, 16
_READ_BYTES, KEPT_BYTES = 64 * 1024, 4 * 1024
_MOST_ADDRESSES = 4


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
        self._loopback, self._tls = loopback, tls
        self._limit = limit_seconds
        self._pools = Pools(self._pool)
        # Apart, so that whoever makes webhooks of slow names keeps nobody from being told.
        self._names, self._checked = Names(resolve, LOOK_UPS), Names(resolve, _LOOK_UPS_OF_CHECKS)

    def objection(self, url: str) -> str | None:
        try:
            target = addresses.read(url, self._loopback)
        except ValueError as error:
            return str(error)
        try:
            found = self._checked.addresses(target.host, target.port, _LOOK_UP_SECONDS)
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
        self._names.close()
        self._checked.close()

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
        seconds = min(_LOOK_UP_SECONDS, left())
        found = self._names.addresses(target.host, target.port, seconds)
        if not addresses.allowed(target, found, self._loopback):
            raise Unreachable("its host does not lead to a public address")
        return found[:_MOST_ADDRESSES]


def _beginning(chunks: Iterable[bytes]) -> str:
    """The beginning of a body as text; what is longer than anybody needs is not read."""
    found = bytearray()
    for chunk in chunks:
        found += chunk
        if len(found) >= _READ_BYTES:
            break
    return bytes(found[:KEPT_BYTES]).decode(errors="replace").replace("\x00", "�")
