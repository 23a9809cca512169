"""API keys: whether they still work, what they may do, from where, how often, and since when."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from crossway.dashboard.views.cells import Cell, Chip, Column, Fact, Row
from crossway.dashboard.views.figures import millis, time_cell
from crossway.dashboard.views.links import key_href
from crossway.domain.clients import Client, Key, Mode, Scope
from crossway.domain.errors import InvalidInput, NotFound
from crossway.ports.services import Services
from crossway.usecases.developers import clients, keys
from crossway.usecases.developers.keys import KeyChange

COLUMNS = (
    Column("Key"),
    Column("State"),
    Column("May"),
    Column("Rate"),
    Column("From", wide=True),
    Column("Last used"),
)
MODES: Final[Mapping[Mode, Chip]] = {
    Mode.TEST: Chip("Test", "blue", "science", "Test networks and main networks"),
    Mode.LIVE: Chip("Live", "violet", "public", "Main networks only"),
}
SCOPES: Final[Mapping[Scope, str]] = {
    Scope.READ: "Read",
    Scope.WRITE: "Write",
    Scope.REFUND: "Refund",
}
OVERLAPS: Final[Mapping[str, timedelta]] = {
    "Not at all": timedelta(0),
    "1 hour": timedelta(hours=1),
    "24 hours": keys.USUAL_OVERLAP,
    "7 days": timedelta(days=7),
    "30 days": keys.LONGEST_OVERLAP,
}
USUAL_OVERLAP: Final = "24 hours"
IN_USE, ENDED = "In use", "Ended"
ANYWHERE: Final = "Anywhere"


@dataclass(frozen=True, slots=True)
class Listing:
    """Keys as rows, and how many there are that work and that do not."""

    rows: tuple[Row, ...]
    in_use: int
    ended: int


def state(key: Key, now: datetime) -> Chip:
    """Whether a key works."""
    if key.revoked_at is not None:
        return Chip("Revoked", "red", "block", "Ended by hand")
    if key.ended(now):
        return Chip("Ended", "gray", "timer_off", "Another key has replaced it")
    if key.ends_at is not None:
        return Chip("Ends soon", "orange", "hourglass_top", "Another key replaces it")
    return Chip("Works", "green", "check_circle")


def listing(services: Services, ended: bool, client_id: str | None = None) -> Listing:
    """The keys of one client or of all, newest first: those that work, or those that do not."""
    now, found = services.clock.now(), keys.every(services, client_id)
    owners = {client.id: client for client in clients.every(services)}
    shown = [key for key in reversed(found) if key.ended(now) == ended]
    count = sum(key.ended(now) for key in found)
    rows = tuple(_row(key, owners[key.client_id], now) for key in shown)
    return Listing(rows, len(found) - count, count)


def _row(key: Key, client: Client, now: datetime) -> Row:
    stands = state(key, now)
    until = key.revoked_at or key.ends_at
    return Row(
        key=str(key.id),
        href=key_href(key.id),
        label=f"Key {key.shown}… of {client.name}, {stands.text}",
        cells=(
            Cell(f"{key.shown}…", sub=client.name, mono=True),
            Cell(chips=(stands, MODES[key.mode]), at=millis(until) if until else None),
            Cell(_scopes(key)),
            Cell(_rate(key, client)),
            Cell(", ".join(key.addresses) or ANYWHERE),
            time_cell(key.last_used_at) if key.last_used_at else Cell("Never"),
        ),
    )


def _scopes(key: Key) -> str:
    if key.scopes == frozenset(Scope):
        return "Everything"
    return ", ".join(words for scope, words in SCOPES.items() if scope in key.scopes)


def _rate(key: Key, client: Client) -> str:
    own = key.requests_per_minute
    return f"{client.requests_per_minute if own is None else own:,} a minute"


def one(services: Services, text: str) -> tuple[Key, Client]:
    """The key that a link names; raises `NotFound`."""
    for key in keys.every(services):
        if str(key.id) == text:
            return key, next(c for c in clients.every(services) if c.id == key.client_id)
    raise NotFound(f"No key has the number {text}" if text else "No key is named")


def facts(key: Key, client: Client) -> tuple[Fact, ...]:
    """Everything about a key but its secret, which nobody has."""
    own = "" if key.requests_per_minute is not None else "the rate of its client"
    ends = (Fact("Works until", time_cell(key.ends_at, "exact")),) if key.ends_at else ()
    revoked = (Fact("Revoked", time_cell(key.revoked_at, "exact")),) if key.revoked_at else ()
    return (
        Fact("Begins with", Cell(f"{key.shown}…", mono=True)),
        Fact("Client", Cell(client.name)),
        Fact("May", Cell(_scopes(key))),
        Fact("Rate", Cell(_rate(key, client), sub=own)),
        Fact("May be used from", Cell(", ".join(key.addresses) or ANYWHERE)),
        Fact("Created", time_cell(key.created_at, "exact")),
        Fact("Last used", time_cell(key.last_used_at) if key.last_used_at else Cell("Never")),
        *ends,
        *revoked,
    )


def change_of(scopes: Sequence[Scope], rate: str, addresses: str) -> KeyChange:
    """What was typed as a change: no rate means the client's, no address means from anywhere."""
    return KeyChange(frozenset(scopes), whole_number("Requests a minute", rate), listed(addresses))


def listed(text: str) -> tuple[str, ...]:
    """The entries of a text with one on each line, or with commas between them."""
    return tuple(part for part in re.split(r"[\s,;]+", text) if part)


def whole_number(field: str, text: str) -> int:
    """A typed whole number; 0 where nothing was typed."""
    plain = text.strip().replace(",", "").replace(" ", "")
    if not plain:
        return 0
    if not (plain.isascii() and plain.isdigit() and len(plain) <= 9):
        raise InvalidInput(f"{field} must be a whole number such as 250")
    return int(plain)
