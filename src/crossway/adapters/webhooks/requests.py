"""HTTP/1.1 requests to checked addresses, imported when the first webhook is sent."""

import ssl
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

import httpcore
import httpx

from crossway.adapters.http_clients.request_deadlines import ending_within
from crossway.adapters.webhooks.connection_pool import (
    IDLE_SECONDS,
    MAX_CONNECTIONS,
    ConnectionPools,
    PinnedBackend,
    current_request,
)
from crossway.adapters.webhooks.ssrf_guard import Target
from crossway.domain.errors import Unreachable
from crossway.ports.webhooks import WebhookResponse

_MAX_READ_BYTES, MAX_BODY_BYTES = 64 * 1024, 4 * 1024


class CheckedRequests:
    """POST requests over one connection pool per origin; thread-safe."""

    def __init__(
        self,
        allowed_addresses: Callable[[Target, float], Sequence[str]],
        tls: ssl.SSLContext | None,
        limit_seconds: float,
    ) -> None:
        """`allowed_addresses` returns the addresses of a target, within so many seconds, or raises
        `Unreachable`. With `tls` None the system's certificate authorities are trusted."""
        self._allowed_addresses, self._tls = allowed_addresses, tls
        self._limit = limit_seconds
        self._pools = ConnectionPools(self._pool)

    def post(self, target: Target, headers: Mapping[str, str], body: bytes) -> WebhookResponse:
        """The response; raises `Unreachable` with the reason when there is none."""
        current_request.target = target
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
                ending_within(self._limit),
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


def _read_beginning(chunks: Iterable[bytes]) -> str:
    """The first bytes of a body as text; at most `_MAX_READ_BYTES` are read."""
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) >= _MAX_READ_BYTES:
            break
    return bytes(body[:MAX_BODY_BYTES]).decode(errors="replace").replace("\x00", "�")
