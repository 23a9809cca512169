"""Clients of the service, their keys, modes and scopes."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from crossway.domain.errors import Forbidden, InvalidInput

DEFAULT_REQUESTS_PER_MINUTE = 250
MAX_APP_FEE_BPS = 500


class Mode(StrEnum):
    """A live key works with mainnets only."""

    TEST = "test"
    LIVE = "live"


class Scope(StrEnum):
    """What a key may do; a key has all three unless it was made with fewer."""

    READ = "read"
    WRITE = "write"
    REFUND = "refund"


@dataclass(frozen=True, slots=True)
class Client:
    """A merchant or integrator; app fee in basis points, capped in micro-USD when a cap is set."""

    id: str
    name: str
    app_fee_bps: int
    app_fee_cap_micro_usd: int | None
    requests_per_minute: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Key:
    """One API key without its secret; `shown` is its first 12 characters."""

    id: int
    client_id: str
    mode: Mode
    scopes: frozenset[Scope]
    shown: str
    created_at: datetime
    revoked_at: datetime | None
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: a client through one of its keys, or the operator, who sees every client's."""

    client: Client
    mode: Mode
    scopes: frozenset[Scope]
    key_id: int | None = None
    operator: bool = False

    def needs(self, scope: Scope) -> None:
        """Raise `Forbidden` when the key lacks this scope."""
        if scope not in self.scopes:
            raise Forbidden(f"This key lacks the scope: {scope}")

    def may_use(self, chain: str, testnet: bool) -> None:
        """Raise `InvalidInput` when a live key asks for a test network."""
        if testnet and self.mode is Mode.LIVE:
            raise InvalidInput("A live key cannot be used with test networks")
