"""Clients, their API keys, modes and scopes, and the principal of a request."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Protocol, TypeVar

from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import Forbidden, InvalidInput
from crossway.domain.money import share_up
from crossway.domain.roles import Permission, Role, can, minimum_role
from crossway.domain.staff import StaffSession

DEFAULT_REQUESTS_PER_MINUTE = 250
MAX_APP_FEE_BPS = 500
LOOPBACK = "127.0.0.1"
_ALWAYS = datetime(2026, 1, 1, tzinfo=UTC)


class Mode(StrEnum):
    """The mode of a key and of all records made with it; a live key works with mainnets only."""

    TEST = "test"
    LIVE = "live"


@dataclass(frozen=True, slots=True)
class Owner:
    """To whom a record belongs: a client, in the mode of the key that made it."""

    client_id: str
    mode: Mode


@dataclass(frozen=True, slots=True)
class OwnerFilter:
    """The records of a client, None for every client, in one mode, None for both. The base of all
    filters of lists whose records have an owner; see `Principal.narrow`."""

    client_id: str | None = None
    mode: str | None = None


class OwnedRecord(Protocol):
    """A record with an owner; without a client it belongs to the installation."""

    @property
    def client_id(self) -> str | None: ...
    @property
    def mode(self) -> str | None: ...


F = TypeVar("F", bound=OwnerFilter)


class Scope(StrEnum):
    """What a key may do; a key has all scopes unless it was created with fewer."""

    READ = "read"
    WRITE = "write"
    REFUND = "refund"


_SCOPE_PERMISSIONS = {
    Scope.READ: Permission.VIEW,
    Scope.WRITE: Permission.OPERATE,
    Scope.REFUND: Permission.REFUND,
}


@dataclass(frozen=True, slots=True)
class PublicProfile:
    """A client's name, logo (https URL) and colour (`#rrggbb`) for payers; empty means not set."""

    display_name: str = ""
    logo_url: str = ""
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Client:
    """A merchant or integrator; the app fee is in basis points, optionally capped in micro-USD.

    `refund_addresses` are the default refund addresses by the kind of the source chain.
    """

    id: str
    name: str
    app_fee_bps: int
    app_fee_cap_micro_usd: int | None
    requests_per_minute: int
    created_at: datetime
    refund_addresses: Mapping[str, str] = field(default_factory=dict)
    public_profile: PublicProfile = PublicProfile()

    def app_fee(self, amount_micro_usd: int) -> int:
        """The client's fee on an amount in micro-USD, limited by its cap if there is one."""
        fee, cap = share_up(amount_micro_usd, self.app_fee_bps), self.app_fee_cap_micro_usd
        return fee if cap is None else min(fee, cap)


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One API key without its secret; `display_prefix` is its first 12 characters.

    `expires_at` is when a rotated key stops working. `requests_per_minute` None means the
    client's limit. `addresses` are the networks that may use it, such as `192.0.2.0/24`; empty
    means any.
    """

    id: int
    client_id: str
    mode: Mode
    scopes: frozenset[Scope]
    display_prefix: str
    created_at: datetime
    revoked_at: datetime | None
    last_used_at: datetime | None
    expires_at: datetime | None = None
    requests_per_minute: int | None = None
    addresses: tuple[str, ...] = ()

    def is_expired(self, now: datetime) -> bool:
        """Whether the key was revoked or has expired."""
        return self.revoked_at is not None or (
            self.expires_at is not None and self.expires_at <= now
        )

    def allows_address(self, address: str | None) -> bool:
        """Whether the key may be used from an address; None is an unknown address."""
        return not self.addresses or (
            address is not None and is_allowed(address, networks_of(self.addresses))
        )


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller of a request: a client with an API key, or a staff member with a `role`.

    Staff list the records of every client in the mode they chose, or in both if `mode` is None.
    `session` is that of a person who signed in.
    """

    client: Client
    mode: Mode | None
    scopes: frozenset[Scope]
    key_id: int | None = None
    role: Role | None = None
    key: ApiKey | None = None
    session: StaffSession | None = None

    @property
    def is_staff(self) -> bool:
        """Whether the caller is a staff member."""
        return self.role is not None

    @property
    def actor_name(self) -> str:
        """The caller's name in the audit log, with the key prefix where there is one."""
        return f"{self.client.name} ({self.key.display_prefix}…)" if self.key else self.client.name

    @property
    def owner(self) -> Owner:
        """The owner of what the caller creates; raises `Forbidden` for staff without a mode."""
        if self.mode is None:
            raise Forbidden("Choose a mode first, test or live")
        return Owner(self.client.id, self.mode)

    def narrow(self, filters: F) -> F:
        """The filters, limited to the caller's mode, and to its client unless it is staff.

        Every list, count and search of records with an owner goes through here."""
        if not self.is_staff:
            filters = replace(filters, client_id=self.client.id)
        return filters if self.mode is None else replace(filters, mode=self.mode)

    def can_access(self, record: OwnedRecord) -> bool:
        """Whether the caller may read and change a record: one of its own client and mode. Staff
        access every record, so that a link to one leads somewhere in either mode."""
        return self.is_staff or (record.client_id, record.mode) == (self.client.id, self.mode)

    def lists(self, record: OwnedRecord) -> bool:
        """Whether lists and searches of the caller show a record: as `can_access`, and for staff
        only in their mode. What has no mode, such as a request without a key, is in both."""
        in_mode = self.mode is None or record.mode in (None, self.mode)
        return in_mode and self.can_access(record)

    def in_mode_of(self, record: OwnedRecord) -> "Principal":
        """The caller as it lists what belongs to a record it opened: staff in the record's mode."""
        return self if record.mode is None else replace(self, mode=Mode(record.mode))

    def require_scope(self, scope: Scope, permission: Permission | None = None) -> None:
        """Raise `Forbidden` unless the key has this scope.

        For staff, the role must have the given permission, by default that of the scope.
        """
        if self.role is not None:
            self.require_permission(permission or _SCOPE_PERMISSIONS[scope])
        if scope not in self.scopes:
            raise Forbidden(f"This key lacks the scope: {scope}", ErrorCode.SCOPE_MISSING)

    def can(self, permission: Permission) -> bool:
        """Whether the caller is staff with this permission."""
        return self.role is not None and can(self.role, permission)

    def require_permission(self, permission: Permission) -> None:
        """Raise `Forbidden` unless the caller is staff with this permission."""
        if self.role is None:
            raise Forbidden("Only an operator can do this")
        if not can(self.role, permission):
            raise Forbidden(
                f"This needs permission to {permission}, which the role {self.role} does not have: "
                f"ask a staff member with the role {minimum_role(permission)}"
            )

    def require_chain_allowed(self, testnet: bool, field: str) -> None:
        """Raise `InvalidInput` about the field in which a live key names a test network or one of
        its tokens."""
        if testnet and self.mode is Mode.LIVE:
            raise InvalidInput(
                "A live key cannot be used with test networks",
                ErrorCode.LIVE_KEY_ON_TEST_NETWORK,
                (field,),
            )


def staff_principal(name: str, role: Role = Role.ADMIN, mode: Mode | None = None) -> Principal:
    """A staff principal that acts for no client."""
    client = Client("operator", name, 0, None, DEFAULT_REQUESTS_PER_MINUTE, _ALWAYS)
    return Principal(client, mode, frozenset(Scope), role=role)


Networks = tuple[IPv4Network | IPv6Network, ...]


def parse_networks(texts: Iterable[str], field: str) -> tuple[str, ...]:
    """Addresses and networks in canonical form; raises `InvalidInput` naming the field."""
    parsed = []
    for text in texts:
        try:
            parsed.append(str(ip_network(text.strip())))
        except ValueError as error:
            example = "such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32"
            raise InvalidInput(f"{field}: {text} is not a network, {example}") from error
    return tuple(dict.fromkeys(parsed))


@lru_cache(maxsize=1_024)
def networks_of(texts: tuple[str, ...]) -> Networks:
    """Networks in canonical form, as objects; cached."""
    return tuple(ip_network(text) for text in texts)


def is_allowed(address: str, networks: Networks) -> bool:
    """Whether an address is in one of these networks; False for an invalid address."""
    if not networks:
        return False
    try:
        parsed = normalize_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in networks)


def normalize_address(text: str) -> IPv4Address | IPv6Address:
    """An IP address; an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) becomes IPv4."""
    address = ip_address(text)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def find_client_address(
    peer: str, forwarded_for: Iterable[str], trusted_proxies: tuple[str, ...]
) -> str | None:
    """The address of a request's client; None where only an untrusted X-Forwarded-For names it.

    `peer` is the connection's other end, `forwarded_for` the values of that header. A web server on
    this machine may already have replaced the peer by an address from the header. Such an address
    counts only where the loopback address is a trusted proxy.
    """
    trusted = networks_of(trusted_proxies)
    hops = [_without_port(hop.strip()) for value in forwarded_for for hop in value.split(",")]
    if peer in hops and not is_allowed(LOOPBACK, trusted):
        return None
    if not is_allowed(peer, trusted):
        return peer
    return next((hop for hop in reversed(hops) if not is_allowed(hop, trusted)), peer)


def _without_port(text: str) -> str:
    """An address without the port that some proxies append."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text
