"""Which URLs and addresses a webhook may have: public ones, however they are spelled."""

import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

Resolve = Callable[[str, int], Sequence[str]]

_PRINTABLE = re.compile(r"[\x21-\x5b\x5d-\x7e]+\Z")
_LABELS = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\Z")
_NUMBER = re.compile(r"(0x[0-9a-f]*|[0-9]+)\Z")
_LONGEST_HOST = 253
# Set aside for protocols and for relays, which not every version of `ipaddress` knows.
_SET_ASIDE = (IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"))
_UNICAST = IPv6Network("2000::/3")
# Addresses that lead to another one inside them: 6to4, Teredo.
_TUNNELS = (IPv6Network("2002::/16"), IPv6Network("2001::/32"))
NOT_PUBLIC = "must lead to a public address"


@dataclass(frozen=True, slots=True)
class Target:
    """A URL in its parts; `path` is what is asked for, the query included."""

    secure: bool
    host: str
    port: int
    path: str

    @property
    def shown_host(self) -> str:
        """The host as the `Host` field names it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.secure else 80) else f"{host}:{self.port}"


def read(url: str, loopback: bool) -> Target:
    """The parts of a URL that a webhook may have as far as its spelling tells; `loopback` allows
    http too, whose address must then be one. Raises `ValueError` with words."""
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
    _check_host(host)
    secure = parts.scheme == "https"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(secure, host, port or (443 if secure else 80), path)


def _check_host(host: str) -> None:
    if ":" in host:
        if "%" in host:
            raise ValueError("must not name a network interface")
        IPv6Address(host)
        return
    if not _LABELS.match(host) or len(host) > _LONGEST_HOST:
        raise ValueError("must name a host such as shop.example; write other letters as xn--")
    # 2130706433, 0177.0.0.1 and 0x7f.1 are spellings of 127.0.0.1 to some: one spelling is enough.
    if _NUMBER.match(host.rpartition(".")[2]) and not _is_dotted_quad(host):
        raise ValueError("must write an address as four decimal numbers")


def _is_dotted_quad(host: str) -> bool:
    try:
        return str(IPv4Address(host)) == host
    except ValueError:
        return False


def is_public(address: str) -> bool:
    """Whether an address is one that everybody on the internet reaches as the same."""
    found = ip_address(address.partition("%")[0])
    if not found.is_global or found.is_multicast or found.is_reserved:
        return False
    if isinstance(found, IPv4Address):
        return not any(found in network for network in _SET_ASIDE)
    # This leaves out what embeds an IPv4 address: mapped (::ffff:0:0/96), NAT64 (64:ff9b::/96).
    return found in _UNICAST and not any(found in tunnel for tunnel in _TUNNELS)


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's own to itself."""
    return ip_address(address.partition("%")[0]).is_loopback


def look_up(host: str, port: int) -> Sequence[str]:
    """The addresses of a host by the system's resolver. Raises `OSError`."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def allowed(target: Target, addresses: Sequence[str], loopback: bool) -> bool:
    """Whether all that a host leads to may be asked: one inside among them is one too many."""
    if loopback and addresses and all(is_loopback(address) for address in addresses):
        return True
    return target.secure and bool(addresses) and all(is_public(address) for address in addresses)
