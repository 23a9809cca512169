"""The client's IP address, with or without trusted proxies."""

from ipaddress import IPv6Address

from starlette.datastructures import Headers
from starlette.types import Scope

from crossway.domain.clients import (
    find_client_address,
    is_allowed,
    networks_of,
    normalize_address,
)
from crossway.ports.policy import IngressConfig

UNKNOWN_ADDRESS = "unknown"
_PROXY_HEADERS = (
    "x-forwarded-for",
    "forwarded",
    "x-real-ip",
    "x-forwarded-host",
    "x-forwarded-proto",
    "via",
)


def client_address(scope: Scope, ingress: IngressConfig) -> str | None:
    """The client's IP address; None when only an untrusted X-Forwarded-For names it."""
    forwarded_for = Headers(scope=scope).getlist("x-forwarded-for")
    return find_client_address(peer_address(scope), forwarded_for, ingress.trusted_proxies)


def rate_limit_address(address: str) -> str:
    """The key under which requests of an address are counted: the /64 network of IPv6."""
    try:
        parsed = normalize_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return f"{IPv6Address(int(parsed) >> 64 << 64)}/64"
    return str(parsed)


def peer_address(scope: Scope) -> str:
    """The address of the connection's other end."""
    return str((scope.get("client") or (UNKNOWN_ADDRESS,))[0])


def is_local_request(scope: Scope, ingress: IngressConfig) -> bool:
    """Whether a request comes from this machine directly and not through a proxy on it."""
    headers = Headers(scope=scope)
    forwarded = any(name in headers for name in _PROXY_HEADERS)
    return not forwarded and is_allowed(
        peer_address(scope), networks_of(("127.0.0.0/8", "::1/128"))
    )
