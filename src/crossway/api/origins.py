"""From which address a request comes, behind proxies or not."""

from ipaddress import IPv6Address

from starlette.types import Scope

from crossway.api.headers import header, listed
from crossway.domain.clients import parsed_networks, plain_address, within
from crossway.ports.process import Doors

LOOPBACK = "127.0.0.1"
UNKNOWN = "unknown"
_FORWARDED = (
    b"x-forwarded-for",
    b"forwarded",
    b"x-real-ip",
    b"x-forwarded-host",
    b"x-forwarded-proto",
    b"via",
)


def origin_of(scope: Scope, doors: Doors) -> str | None:
    """The address of whoever asks; None when it is only claimed and nobody trusted says so.

    A server may have put what X-Forwarded-For says in the place of a peer on this machine before
    we are asked. Such an address is in the header, and it counts where this machine is trusted.
    """
    peer = peer_of(scope)
    trusted = parsed_networks(doors.trusted_proxies)
    claimed = [_without_port(text) for text in listed(scope, b"x-forwarded-for")]
    if peer in claimed and not within(LOOPBACK, trusted):
        return None
    if not within(peer, trusted):
        return peer
    for address in reversed(claimed):
        if not within(address, trusted):
            return address
    return peer


def counted_by(address: str) -> str:
    """What requests from an address are counted by: of IPv6 the /64 that one household has."""
    try:
        found = plain_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        return f"{IPv6Address(int(found) >> 64 << 64)}/64"
    return str(found)


def _without_port(text: str) -> str:
    """An address without the port that some proxies write behind it."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text


def peer_of(scope: Scope) -> str:
    """Who is at the other end of the connection, as the server says."""
    return str((scope.get("client") or (UNKNOWN,))[0])


def is_this_machine(scope: Scope, doors: Doors) -> bool:
    """Whether a request comes from this machine itself and not through a proxy on it."""
    forwarded = any(header(scope, name) is not None for name in _FORWARDED)
    return not forwarded and within(peer_of(scope), parsed_networks(("127.0.0.0/8", "::1/128")))
