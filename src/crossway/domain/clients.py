"""Clients of the service, their keys, modes and scopes, and from where a key may be used."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from crossway.domain.errors import Forbidden, InvalidInput
from crossway.domain.roles import Right, Role, least, may

DEFAULT_REQUESTS_PER_MINUTE = 250
MAX_APP_FEE_BPS = 500
_ALWAYS = datetime(2026, 1, 1, tzinfo=UTC)


class Mode(StrEnum):
    """A live key works with mainnets only."""

    TEST = "test"
    LIVE = "live"


class Scope(StrEnum):
    """What a key may do; a key has all three unless it was made with fewer."""

    READ = "read"
    WRITE = "write"
    REFUND = "refund"


_RIGHTS = {Scope.READ: Right.SEE, Scope.WRITE: Right.WORK, Scope.REFUND: Right.REFUND}


@dataclass(frozen=True, slots=True)
class Brand:
    """How a client shows itself to its payers; what is empty is not set. The logo is an https URL,
    the colour `#rrggbb`."""

    display_name: str = ""
    logo_url: str = ""
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Client:
    """A merchant or integrator; app fee in basis points, capped in micro-USD when a cap is set.

    `refund_addresses` is where money goes back when a payment names no other place, by the kind of
    its source chain.
    """

    id: str
    name: str
    app_fee_bps: int
    app_fee_cap_micro_usd: int | None
    requests_per_minute: int
    created_at: datetime
    refund_addresses: Mapping[str, str] = field(default_factory=dict)
    brand: Brand = Brand()


@dataclass(frozen=True, slots=True)
class Key:
    """One API key without its secret; `shown` is its first 12 characters.

    `ends_at` is when a key that was replaced stops working. `requests_per_minute` None is the
    client's rate. Of `addresses`, networks such as `192.0.2.0/24`, none means from anywhere.
    """

    id: int
    client_id: str
    mode: Mode
    scopes: frozenset[Scope]
    shown: str
    created_at: datetime
    revoked_at: datetime | None
    last_used_at: datetime | None
    ends_at: datetime | None = None
    requests_per_minute: int | None = None
    addresses: tuple[str, ...] = ()

    def ended(self, now: datetime) -> bool:
        """Whether it was revoked or its time is over."""
        return self.revoked_at is not None or (self.ends_at is not None and self.ends_at <= now)

    def may_come_from(self, address: str | None) -> bool:
        """Whether this key may be used from an address; one that nobody vouches for is None."""
        return not self.addresses or (
            address is not None and within(address, parsed_networks(self.addresses))
        )


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: a client through one of its keys, or one of the installation's own people, who has
    a `role` and sees every client's."""

    client: Client
    mode: Mode
    scopes: frozenset[Scope]
    key_id: int | None = None
    role: Role | None = None
    key: Key | None = None

    @property
    def operator(self) -> bool:
        """Whether this is one of the installation's own people."""
        return self.role is not None

    @property
    def who(self) -> str:
        """What the audit log calls whoever asks: the name, and the key where there is one."""
        return f"{self.client.name} ({self.key.shown}…)" if self.key else self.client.name

    def needs(self, scope: Scope, right: Right | None = None) -> None:
        """Raise `Forbidden` when the key lacks this scope, or a person's role the right to do this,
        which is that of the scope unless another is named."""
        if self.role is not None:
            self.must(right or _RIGHTS[scope])
        if scope not in self.scopes:
            raise Forbidden(f"This key lacks the scope: {scope}")

    def may(self, right: Right) -> bool:
        """Whether this is one of the installation's people whose role has this right."""
        return self.role is not None and may(self.role, right)

    def must(self, right: Right) -> None:
        """Raise `Forbidden` for a client, and for a person whose role lacks this right."""
        if self.role is None:
            raise Forbidden("Only an operator can do this")
        if not may(self.role, right):
            raise Forbidden(
                f"This needs the right to {right}, which the role {self.role} does not have: ask "
                f"somebody with the role {least(right)}"
            )

    def may_use(self, chain: str, testnet: bool) -> None:
        """Raise `InvalidInput` when a live key asks for a test network."""
        if testnet and self.mode is Mode.LIVE:
            raise InvalidInput("A live key cannot be used with test networks")


def insider(name: str, role: Role = Role.ADMIN) -> Caller:
    """One of the installation's own people, who acts for no client."""
    client = Client("operator", name, 0, None, DEFAULT_REQUESTS_PER_MINUTE, _ALWAYS)
    return Caller(client, Mode.LIVE, frozenset(Scope), role=role)


Networks = tuple[IPv4Network | IPv6Network, ...]


def networks(texts: Iterable[str], field: str) -> tuple[str, ...]:
    """Addresses and networks in their one spelling; raises `InvalidInput` naming the field."""
    found = []
    for text in texts:
        try:
            found.append(str(ip_network(text.strip())))
        except ValueError as error:
            example = "such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32"
            raise InvalidInput(f"{field}: {text} is not a network, {example}") from error
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=1_024)
def parsed_networks(texts: tuple[str, ...]) -> Networks:
    """Networks as `networks` spells them."""
    return tuple(ip_network(text) for text in texts)


def within(address: str, places: Networks) -> bool:
    """Whether an address lies in one of these networks; what is no address lies nowhere."""
    try:
        found = plain_address(address)
    except ValueError:
        return False
    return any(found in place for place in places)


def plain_address(text: str) -> IPv4Address | IPv6Address:
    """An address; an IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`) is itself."""
    found = ip_address(text)
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found
