"""API keys on screen: status, permissions, allowed networks, rate limit and usage."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from crossway.dashboard.views.cells import Badge, Cell, Column, Detail, Row
from crossway.dashboard.views.formatting import time_cell, to_millis
from crossway.dashboard.views.links import key_href
from crossway.domain.clients import ApiKey, Client, Mode, Scope
from crossway.domain.errors import InvalidInput, NotFound
from crossway.ports.services import Services
from crossway.usecases.developers import api_keys, clients
from crossway.usecases.developers.api_keys import ApiKeyUpdate

COLUMNS = (
    Column("Key", name="key"),
    Column("Status", name="status"),
    Column("Permissions", name="permissions"),
    Column("Rate limit", name="rate_limit"),
    Column("Allowed IPs", wide=True, name="allowed_ips"),
    Column("Last used", name="last_used"),
)
MODES: Final[Mapping[Mode, Badge]] = {
    Mode.TEST: Badge("Test", "blue", "science", "Testnets and mainnets"),
    Mode.LIVE: Badge("Live", "violet", "public", "Mainnets only"),
}
SCOPES: Final[Mapping[Scope, str]] = {
    Scope.READ: "Read",
    Scope.WRITE: "Write",
    Scope.REFUND: "Refund",
}
OVERLAPS: Final[Mapping[str, timedelta]] = {
    "None": timedelta(0),
    "1 hour": timedelta(hours=1),
    "24 hours": api_keys.DEFAULT_OVERLAP,
    "7 days": timedelta(days=7),
    "30 days": api_keys.MAX_OVERLAP,
}
DEFAULT_OVERLAP: Final = "24 hours"
ACTIVE, INACTIVE = "Active", "Revoked"
ANYWHERE: Final = "Any"


@dataclass(frozen=True, slots=True)
class ListPage:
    """Rows of keys, with the numbers of active and of revoked or expired keys."""

    rows: tuple[Row, ...]
    active: int
    inactive: int


def status_badge(key: ApiKey, now: datetime) -> Badge:
    """The status of a key."""
    if key.revoked_at is not None:
        return Badge("Revoked", "red", "block", "Revoked manually")
    if key.is_expired(now):
        return Badge("Expired", "gray", "timer_off", "Replaced by another key")
    if key.expires_at is not None:
        return Badge("Expiring", "orange", "hourglass_top", "Being replaced by another key")
    return Badge("Active", "green", "check_circle")


def load_page(services: Services, ended: bool, client_id: str | None = None) -> ListPage:
    """Active keys, or revoked and expired ones, of one client or all, newest first."""
    now, keys = services.clock.now(), api_keys.list_api_keys(services, client_id)
    owners = {client.id: client for client in clients.list_clients(services)}
    listed = [key for key in reversed(keys) if key.is_expired(now) == ended]
    count = sum(key.is_expired(now) for key in keys)
    rows = tuple(_row(key, owners[key.client_id], now) for key in listed)
    return ListPage(rows, len(keys) - count, count)


def _row(key: ApiKey, client: Client, now: datetime) -> Row:
    badge = status_badge(key, now)
    ended_at = key.revoked_at or key.expires_at
    return Row(
        key=str(key.id),
        href=key_href(key.id),
        label=f"Key {key.display_prefix}… of {client.name}, {badge.text}",
        cells=(
            Cell(f"{key.display_prefix}…", sub=client.name, mono=True),
            Cell(badges=(badge, MODES[key.mode]), at=to_millis(ended_at) if ended_at else None),
            Cell(_format_scopes(key)),
            Cell(_format_rate_limit(key, client)),
            Cell(", ".join(key.addresses) or ANYWHERE),
            time_cell(key.last_used_at) if key.last_used_at else Cell("Never"),
        ),
    )


def _format_scopes(key: ApiKey) -> str:
    if key.scopes == frozenset(Scope):
        return "All"
    return ", ".join(label for scope, label in SCOPES.items() if scope in key.scopes)


def _format_rate_limit(key: ApiKey, client: Client) -> str:
    own = key.requests_per_minute
    return f"{client.requests_per_minute if own is None else own:,} per minute"


def get_key(services: Services, text: str) -> tuple[ApiKey, Client]:
    """The key with this id and its client; raises `NotFound`."""
    for key in api_keys.list_api_keys(services):
        if str(key.id) == text:
            return key, next(c for c in clients.list_clients(services) if c.id == key.client_id)
    raise NotFound(f"No API key with ID {text}" if text else "No API key ID in the link")


def build_details(key: ApiKey, client: Client) -> tuple[Detail, ...]:
    """All details of a key except its secret, which is not stored."""
    own = "" if key.requests_per_minute is not None else "the merchant's rate limit"
    ends = (Detail("Expires", time_cell(key.expires_at, "exact")),) if key.expires_at else ()
    revoked = (Detail("Revoked", time_cell(key.revoked_at, "exact")),) if key.revoked_at else ()
    return (
        Detail("Prefix", Cell(f"{key.display_prefix}…", mono=True)),
        Detail("Merchant", Cell(client.name)),
        Detail("Permissions", Cell(_format_scopes(key))),
        Detail("Rate limit", Cell(_format_rate_limit(key, client), sub=own)),
        Detail("Allowed IPs", Cell(", ".join(key.addresses) or ANYWHERE)),
        Detail("Created", time_cell(key.created_at, "exact")),
        Detail("Last used", time_cell(key.last_used_at) if key.last_used_at else Cell("Never")),
        *ends,
        *revoked,
    )


def parse_change(scopes: Sequence[Scope], rate: str, addresses: str) -> ApiKeyUpdate:
    """The form as a change: no rate means the client's, no address means any address."""
    return ApiKeyUpdate(
        frozenset(scopes), parse_whole_number("Requests per minute", rate), split_list(addresses)
    )


def split_list(text: str) -> tuple[str, ...]:
    """The entries of a text separated by whitespace, commas or semicolons."""
    return tuple(part for part in re.split(r"[\s,;]+", text) if part)


def parse_whole_number(field: str, text: str) -> int:
    """A typed whole number; 0 for empty text. Raises `InvalidInput`."""
    plain = text.strip().replace(",", "").replace(" ", "")
    if not plain:
        return 0
    if not (plain.isascii() and plain.isdigit() and len(plain) <= 9):
        raise InvalidInput(f"{field} must be a whole number such as 250")
    return int(plain)
