"""Which Host and Origin a request may carry.

A page of another site can reach this service through the browser of somebody who may: by a name
that it resolves to our address (DNS rebinding), or by a WebSocket, which browsers open to any site.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.types import Scope

from crossway.api.raw_headers import header_value, header_values
from crossway.domain.clients import normalize_address
from crossway.ports.policy import IngressConfig

HOST_REFUSED = (
    "This service does not answer under this host name. Set CROSSWAY_PUBLIC_URL to the URL that "
    "payers use, and CROSSWAY_ALLOWED_HOSTS to further names"
)
ORIGIN_REFUSED = (
    "A page of another site asked for this. If it was yours, set CROSSWAY_PUBLIC_URL to the URL "
    "under which this service is reached"
)


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """The names and origins of this service, beside loopback and the address it listens on.

    `names` are host names in lower case without a port; `origins` are complete.
    """

    names: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()

    @staticmethod
    @cache
    def of(ingress: IngressConfig) -> "AllowedHosts":
        """The public URL's host, if there is one, and the further names that are allowed."""
        public = frozenset({ingress.public_url} if ingress.public_url else ())
        names = {urlsplit(url).hostname or "" for url in public} | set(ingress.allowed_hosts)
        return AllowedHosts(frozenset(names), public)

    def refusal(self, scope: Scope) -> str:
        """Why the Host or the Origin of a request is refused; empty if both are allowed."""
        hosts = header_values(scope, b"host")
        listening = (scope.get("server") or ("",))[0]
        if len(hosts) != 1 or not _is_allowed_host(self.names, hosts[0], listening):
            return HOST_REFUSED
        origins = header_values(scope, b"origin")
        if origins and not all(self._allows_origin(one, hosts[0], scope) for one in origins):
            return ORIGIN_REFUSED
        return ""

    def _allows_origin(self, origin: str, host: str, scope: Scope) -> bool:
        if origin in self.origins:
            return True
        if origin == "null":
            # A form of a page that tells no referrer; browsers say beside it where it comes from.
            return scope["type"] == "http" and not is_cross_site(scope)
        return origin.partition("://")[2] == host


@lru_cache(maxsize=64)
def _is_allowed_host(names: frozenset[str], host: str, listening: str) -> bool:
    """Cached: a server is asked under few names."""
    name = host_name(host)
    if name in names or is_loopback_name(name):
        return True
    # No page can be loaded under an address and then be resolved to another one.
    return bool(name) and _is_same_address(name, listening)


def host_name(host: str) -> str:
    """The name or address in a Host header, in lower case and without its port; empty if it is
    malformed."""
    try:
        parts = urlsplit(f"//{host}")
        parts.port  # noqa: B018 - raises for a malformed port.
    except ValueError:
        return ""
    if parts.netloc != host or "@" in host:
        return ""
    return (parts.hostname or "").rstrip(".")


def is_loopback_name(name: str) -> bool:
    """Whether a host name always means this machine."""
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def is_cross_site(scope: Scope) -> bool:
    """Whether a browser says that another origin's page made this request."""
    return header_value(scope, b"sec-fetch-site") not in (None, "same-origin", "none")


def _is_same_address(name: str, listening: str) -> bool:
    try:
        return normalize_address(name) == normalize_address(listening)
    except ValueError:
        return False
