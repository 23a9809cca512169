"""Send webhooks to URLs chosen by clients, without reaching internal addresses."""

import ssl
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from crossway.adapters.webhooks import ssrf_guard
from crossway.adapters.webhooks.dns import DnsResolver, LookupsBusy
from crossway.adapters.webhooks.ssrf_guard import DOES_NOT_RESOLVE, NOT_PUBLIC, Resolve, Target
from crossway.domain.errors import Unreachable
from crossway.ports.webhooks import WebhookResponse

if TYPE_CHECKING:
    from crossway.adapters.webhooks.requests import CheckedRequests

LIMIT_SECONDS = 10.0
# A resolver gives up after 30 s. Within that time, with failing endpoints on half of the sending
# threads, fewer look-ups start than there is room for.
_LOOKUP_SECONDS, MAX_LOOKUPS, _MAX_CHECK_LOOKUPS = 4.0, 64, 16
# Checks wait in the threads that answer requests, of which there are 40.
MAX_WAITING_CHECKS, _ANY_NUMBER = 8, 10_000
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
        self._requests: CheckedRequests | None = None
        self._lock = threading.Lock()
        # Separate, so that checks of slow hosts do not block deliveries.
        self._resolver, self._check_resolver = (
            DnsResolver(resolve, MAX_LOOKUPS, _ANY_NUMBER),
            DnsResolver(resolve, _MAX_CHECK_LOOKUPS, MAX_WAITING_CHECKS),
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
        except LookupsBusy:
            raise
        except Unreachable:
            return DOES_NOT_RESOLVE
        return (
            None if ssrf_guard.is_allowed(target, found_addresses, self._loopback) else NOT_PUBLIC
        )

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> WebhookResponse:
        try:
            target = ssrf_guard.parse_url(url, self._loopback)
        except ValueError as error:
            raise Unreachable(f"its URL {error}") from error
        return self._open_requests().post(target, headers, body)

    def close(self) -> None:
        """Close all connections."""
        if self._requests is not None:
            self._requests.close()
        self._resolver.close()
        self._check_resolver.close()

    def _open_requests(self) -> "CheckedRequests":
        with self._lock:
            if self._requests is None:
                # Imported here: most starts have no webhook to send, and need no HTTP client.
                from crossway.adapters.webhooks.requests import CheckedRequests

                self._requests = CheckedRequests(self._allowed_addresses, self._tls, self._limit)
            return self._requests

    def _allowed_addresses(self, target: Target, remaining_seconds: float) -> list[str]:
        """The addresses to connect to; raises `Unreachable` unless all of them are allowed."""
        seconds = min(_LOOKUP_SECONDS, remaining_seconds)
        found_addresses = self._resolver.resolve(target.host, target.port, seconds)
        if not ssrf_guard.is_allowed(target, found_addresses, self._loopback):
            raise Unreachable("its host does not resolve to a public address")
        return found_addresses[:_MAX_ADDRESSES]
