"""Records of tokens, balances and the client of a key."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from crossway_client.records.base import CamelCaseRecord


class Token(CamelCaseRecord):
    """A token on one chain; its smallest unit is 10^-`decimals`."""

    symbol: str
    address: str
    decimals: int
    name: str
    native: bool


class TokenBalance(CamelCaseRecord):
    """The balance of one token, in the smallest unit and `formatted` for people."""

    symbol: str
    balance: int
    decimals: int
    formatted: Decimal
    address: str


@dataclass(frozen=True, slots=True)
class Balances:
    """The balances of an address by chain; the chains in `missing` did not answer."""

    by_chain: Mapping[str, list[TokenBalance]]
    missing: tuple[str, ...]


class Branding(CamelCaseRecord):
    """The client's branding on payment pages; None where nothing is set."""

    display_name: str | None
    logo_url: str | None
    colour: str | None


class ClientInfo(CamelCaseRecord):
    """The client of a key, and the key's permissions; `app_fee_cap_usd` is in micro-USD."""

    id: str
    client_id: str
    name: str
    email: str | None
    logo_url: str | None
    paymaster_balance: int
    paymaster_enabled: bool
    mode: str
    scopes: tuple[str, ...]
    requests_per_minute: int
    allowed_addresses: tuple[str, ...]
    ends_at: datetime | None
    app_fee_bps: int
    app_fee_cap_usd: int | None
    refund_addresses: dict[str, str]
    branding: Branding
    created_at: datetime
