"""Send webhooks to URLs chosen by clients, without reaching internal addresses."""

import ssl
import time
from collections.abc import Iterable, Mapping
from functools import cached_property

import httpcore
import httpx

from crossway.adapters.webhooks import ssrf_guard
from crossway.adapters.webhooks.connection_pool import (
    IDLE_SECONDS,
    MAX_CONNECTIONS,
    ConnectionPools,
    PinnedBackend,
    current_request,
    remaining_seconds,
)
from crossway.adapters.webhooks.dns import DnsResolver
from crossway.adapters.webhooks.ssrf_guard import NOT_PUBLIC, Resolve, Target
from crossway.domain.errors import Unreachable
from crossway.ports.webhooks import WebhookResponse

LIMIT_SECONDS = 10.0
# A resolver gives up after 30 s. Within that time, with failing endpoints on half of the sending
# threads, fewer look-ups start than there is room for.
_LOOKUP_SECONDS, MAX_LOOKUPS, _MAX_CHECK_LOOKUPS = 4.0, 64, 16
_MAX_READ_BYTES, MAX_BODY_BYTES = 64 * 1024, 4 * 1024
_MAX_ADDRESSES = 4


class HttpWebhookSender:
    """`ports.webhooks.WebhookSender` over HTTP/1.1; thread-safe.

    A host is resolved once per connection, and the connection goes to exactly the address that was
    checked; certificate and `Host` header are those of the name. Proxies are never used.
    """

    def __init__(
        self,
        loopback: bool = False,
        resolve: Resolve = ssrf_guard.resolve_host,
        tls: ssl.SSLContext | None = None,
        limit_seconds: float = LIMIT_SECONDS,
    ) -> None:
        """`loopback` permits loopback addresses, also over http. With `tls` None the system's
        certificate authorities are trusted."""
        self._loopback, self._tls = loopback, tls
        self._limit = limit_seconds
        self._pools = ConnectionPools(self._pool)
        # Separate, so that checks of slow hosts do not block deliveries.
        self._resolver, self._check_resolver = (
            DnsResolver(resolve, MAX_LOOKUPS),
            DnsResolver(resolve, _MAX_CHECK_LOOKUPS),
        )

    def url_problem(self, url: str) -> str | None:
        try:
            target = ssrf_guard.parse_url(url, self._loopback)
        except ValueError as error:
            return str(error)
        try:
            found_addresses = self._check_resolver.resolve(
                target.host, target.port, _LOOKUP_SECONDS
            )
        except Unreachable:
            return None
        return (
            None if ssrf_guard.is_allowed(target, found_addresses, self._loopback) else NOT_PUBLIC
        )

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> WebhookResponse:
        try:
            target = ssrf_guard.parse_url(url, self._loopback)
        except ValueError as error:
            raise Unreachable(f"its URL {error}") from error
        current_request.target, current_request.deadline = target, time.monotonic() + self._limit
        header_fields = [(b"host", target.host_header.encode()), (b"accept-encoding", b"identity")]
        header_fields += [(name.encode(), value.encode()) for name, value in headers.items()]
        header_fields.append((b"content-length", str(len(body)).encode()))
        request_url = httpcore.URL(
            scheme=b"https" if target.secure else b"http",
            host=target.host.encode(),
            port=target.port,
            target=target.path.encode(),
        )
        try:
            extensions = {"timeout": {"pool": self._limit}}
            with (
                self._pools.use(target) as pool,
                pool.stream(
                    "POST", request_url, headers=header_fields, content=body, extensions=extensions
                ) as response,
            ):
                return WebhookResponse(response.status, _read_beginning(response.iter_stream()))
        except httpcore.TimeoutException as error:
            raise Unreachable(f"did not respond within {self._limit:g} s") from error
        except httpcore.ConnectError as error:
            raise Unreachable(f"the connection failed: {error}") from error
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise Unreachable(f"the connection broke: {error}") from error

    def close(self) -> None:
        """Close all connections."""
        self._pools.close()
        self._resolver.close()
        self._check_resolver.close()

    def _pool(self) -> httpcore.ConnectionPool:
        return httpcore.ConnectionPool(
            ssl_context=self._ssl_context,
            max_connections=MAX_CONNECTIONS,
            max_keepalive_connections=MAX_CONNECTIONS,
            keepalive_expiry=IDLE_SECONDS,
            network_backend=PinnedBackend(self._allowed_addresses),
        )

    @cached_property
    def _ssl_context(self) -> ssl.SSLContext:
        return self._tls or httpx.create_ssl_context(trust_env=False)

    def _allowed_addresses(self, target: Target) -> list[str]:
        """The addresses to connect to; raises `Unreachable` unless all of them are allowed."""
        seconds = min(_LOOKUP_SECONDS, remaining_seconds())
        found_addresses = self._resolver.resolve(target.host, target.port, seconds)
        if not ssrf_guard.is_allowed(target, found_addresses, self._loopback):
            raise Unreachable("its host does not resolve to a public address")
        return found_addresses[:_MAX_ADDRESSES]


def _read_beginning(chunks: Iterable[bytes]) -> str:
    """The first bytes of a body as text; at most `_MAX_READ_BYTES` are read."""
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) >= _MAX_READ_BYTES:
            break
    return bytes(body[:MAX_BODY_BYTES]).decode(errors="replace").replace("\x00", "�")
