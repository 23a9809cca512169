"""Protection against SSRF: validates webhook URLs and admits only public addresses."""

import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

Resolve = Callable[[str, int], Sequence[str]]

_PRINTABLE = re.compile(r"[\x21-\x5b\x5d-\x7e]+\Z")
_HOST_PATTERN = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\Z")
_NUMERIC_LABEL = re.compile(r"(0x[0-9a-f]*|[0-9]+)\Z")
_MAX_HOST_LENGTH = 253
# Reserved for protocols, relays and documentation (IANA's registries of special-purpose
# addresses); not every version of `ipaddress` knows these.
_RESERVED = tuple(
    IPv4Network(text)
    for text in (
        *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
        *("192.175.48.0/24", "198.51.100.0/24", "203.0.113.0/24"),
    )
)
_UNICAST = IPv6Network("2000::/3")
# Protocols with Teredo, documentation, and 6to4; Teredo and 6to4 embed another address.
_RESERVED_UNICAST = tuple(
    IPv6Network(text) for text in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)
# The third quarter of an ISATAP address, whose last quarter is an IPv4 address (RFC 5214).
_ISATAP = frozenset({0x0000_5EFE, 0x0200_5EFE})
# Below this, only https's own; above, what other services listen on and a TLS handshake disturbs.
_FIRST_FREE_PORT = 1024
_OTHER_SERVICES = frozenset(
    {
        *(1433, 1521, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432),
        *(5672, 5900, 5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 9042, 9092),
        *(9200, 9300, 10080, 10250, 10255, 11211, 27017),
    }
)
NOT_PUBLIC = "must resolve to a public address"
DOES_NOT_RESOLVE = "must name a host that resolves: nothing was found under its name"


@dataclass(frozen=True, slots=True)
class Target:
    """A parsed webhook URL; `path` includes the query."""

    secure: bool
    host: str
    port: int
    path: str

    @property
    def host_header(self) -> str:
        """The value of the `Host` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.secure else 80) else f"{host}:{self.port}"


def parse_url(url: str, loopback: bool) -> Target:
    """Parse a webhook URL and check its syntax; the host's addresses are checked by `is_allowed`.

    `loopback` also permits http, for loopback addresses only. Raises `ValueError` with the problem.
    """
    if not _PRINTABLE.match(url):
        raise ValueError("must be a URL of ASCII characters without spaces")
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError as error:
        raise ValueError("must be a URL such as https://shop.example/hook") from error
    if parts.scheme not in (("https", "http") if loopback else ("https",)):
        raise ValueError("must begin with https://")
    if "@" in parts.netloc:
        raise ValueError("must not contain a user name or a password")
    if "#" in url:
        raise ValueError("must not contain a #fragment")
    if port == 0:
        raise ValueError("must have a port from 1 to 65535")
    secure = parts.scheme == "https"
    if port is not None and not loopback and not _is_free_port(port):
        raise ValueError("must have port 443, or one from 1024 on that is no other service's")
    _check_host(host)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(secure, host, port or (443 if secure else 80), path)


def _is_free_port(port: int) -> bool:
    return port == 443 or (port >= _FIRST_FREE_PORT and port not in _OTHER_SERVICES)


def _check_host(host: str) -> None:
    if ":" in host:
        if "%" in host:
            raise ValueError("must not name a network interface")
        IPv6Address(host)
        return
    if not _HOST_PATTERN.match(host) or len(host) > _MAX_HOST_LENGTH:
        raise ValueError("must name a host such as shop.example; write other letters as xn--")
    # Some resolvers read 2130706433, 0177.0.0.1 and 0x7f.1 as 127.0.0.1: accept one spelling only.
    if _NUMERIC_LABEL.match(host.rpartition(".")[2]) and not _is_dotted_quad(host):
        raise ValueError("must write an address as four decimal numbers")


def _is_dotted_quad(host: str) -> bool:
    try:
        return str(IPv4Address(host)) == host
    except ValueError:
        return False


def is_public(address: str) -> bool:
    """Whether an address is a globally reachable unicast address."""
    ip = ip_address(address.partition("%")[0])
    if not ip.is_global or ip.is_multicast or ip.is_reserved:
        return False
    if isinstance(ip, IPv4Address):
        return not any(ip in network for network in _RESERVED)
    # This excludes addresses that embed IPv4: mapped (::ffff:0:0/96) and NAT64 (64:ff9b::/96).
    if ip not in _UNICAST or (int(ip) >> 32) & 0xFFFF_FFFF in _ISATAP:
        return False
    return not any(ip in network for network in _RESERVED_UNICAST)


def is_loopback(address: str) -> bool:
    """Whether an address is a loopback address."""
    return ip_address(address.partition("%")[0]).is_loopback


def resolve_host(host: str, port: int) -> Sequence[str]:
    """Resolve a host with the system's resolver. Raises `OSError`."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


def is_allowed(target: Target, addresses: Sequence[str], loopback: bool) -> bool:
    """Whether all of a host's addresses may be connected to; one internal address rejects it."""
    if loopback and addresses and all(is_loopback(address) for address in addresses):
        return True
    if not _is_free_port(target.port):
        return False
    return target.secure and bool(addresses) and all(is_public(address) for address in addresses)
