"""Clients: their names, fees, rates, where their refunds go, and how they show themselves."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from crossway.domain.clients import (
    DEFAULT_REQUESTS_PER_MINUTE,
    MAX_APP_FEE_BPS,
    Brand,
    Caller,
    Client,
)
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.roles import Right
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.complaints import Complaints

MOST_REQUESTS_PER_MINUTE = 1_000_000
LONGEST_NAME = 100
_LONGEST_URL = 2_048
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\Z")


@dataclass(frozen=True, slots=True)
class ClientChange:
    """What to change of a client; None changes nothing. A cap of -1 takes the cap away.

    `refund_addresses` are by the kind of chain; those of other kinds stay, and an empty one goes.
    Of the brand an empty text takes away what was set.
    """

    name: str | None = None
    app_fee_bps: int | None = None
    app_fee_cap_micro_usd: int | None = None
    requests_per_minute: int | None = None
    refund_addresses: Mapping[str, str] | None = None
    display_name: str | None = None
    logo_url: str | None = None
    colour: str | None = None


def create(services: Services, name: str, caller: Caller) -> Client:
    """A client without keys; its name is unique."""
    caller.must(Right.MANAGE)
    client = fresh(services, name)

    def work(unit: Unit) -> None:
        _refuse_taken_name(unit, client)
        unit.access.add_client(client)
        detail, at = {"client": client.name}, client.created_at
        unit.network.audit(caller.who, "client created", detail, at, f"client:{client.id}")

    services.store.write(work)
    return client


def change(services: Services, client_id: str, change: ClientChange, caller: Caller) -> Client:
    """Change a client; in force at once here, within five seconds in any other process."""
    caller.must(Right.MANAGE)

    def work(unit: Unit) -> Client:
        known = unit.access.client(client_id)
        if known is None:
            raise NotFound("Client not found")
        client = _changed(services, known, change)
        _refuse_taken_name(unit, client)
        before, after = differences(_told(known), _told(client))
        if after:
            unit.access.change_client(client)
            detail, now = {"client": client.name}, services.clock.now()
            subject = f"client:{client.id}"
            unit.network.audit(caller.who, "client changed", detail, now, subject, before, after)
        return client

    client = services.store.write(work)
    services.keys.seen.clear()
    return client


def every(services: Services) -> list[Client]:
    """Every client, oldest first."""
    with services.store.read() as unit:
        return unit.access.clients()


def named(services: Services, name: str) -> Client | None:
    """The client of this name."""
    return next((client for client in every(services) if client.name == name), None)


def fresh(services: Services, name: str) -> Client:
    """A client that is not stored yet."""
    bare = Client(str(uuid4()), "", 0, None, DEFAULT_REQUESTS_PER_MINUTE, services.clock.now())
    return _changed(services, bare, ClientChange(name=name))


def differences(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What of a record is not as it was, and what it is now."""
    names = [name for name in after if before.get(name) != after[name]]
    return {name: before.get(name) for name in names}, {name: after[name] for name in names}


def _told(client: Client) -> dict[str, Any]:
    """What the audit log tells of a client."""
    facts = asdict(client)
    del facts["id"], facts["created_at"], facts["brand"]
    return {**facts, **asdict(client.brand)}


def _changed(services: Services, client: Client, change: ClientChange) -> Client:
    complaints = Complaints()
    name = client.name if change.name is None else change.name.strip()
    fee = client.app_fee_bps if change.app_fee_bps is None else change.app_fee_bps
    cap = change.app_fee_cap_micro_usd
    cap = client.app_fee_cap_micro_usd if cap is None else None if cap == -1 else cap
    most = change.requests_per_minute
    most = client.requests_per_minute if most is None else most
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        complaints.add(f"name must be 1 to {LONGEST_NAME} printable characters")
    if not 0 <= fee <= MAX_APP_FEE_BPS:
        complaints.add(f"app_fee_bps must be 0 to {MAX_APP_FEE_BPS}")
    if cap is not None and cap < 0:
        complaints.add("app_fee_cap_micro_usd must not be negative")
    complaints.read(lambda: checked_rate(most))
    brand = _brand(client.brand, change, complaints)
    refunds = _refund_addresses(services, client, change.refund_addresses or {}, complaints)
    complaints.refuse()
    return replace(
        client,
        name=name,
        app_fee_bps=fee,
        app_fee_cap_micro_usd=cap,
        requests_per_minute=most,
        refund_addresses=refunds,
        brand=brand,
    )


def checked_rate(per_minute: int) -> int:
    """A rate limit; raises `InvalidInput` when it is out of bounds."""
    if not 1 <= per_minute <= MOST_REQUESTS_PER_MINUTE:
        raise InvalidInput("requests_per_minute must be 1 to 1 000 000")
    return per_minute


def _brand(known: Brand, change: ClientChange, complaints: Complaints) -> Brand:
    name = known.display_name if change.display_name is None else change.display_name.strip()
    logo = known.logo_url if change.logo_url is None else change.logo_url.strip()
    colour = known.colour if change.colour is None else change.colour.strip().lower()
    if len(name) > LONGEST_NAME or not name.isprintable():
        complaints.add(f"display_name must be at most {LONGEST_NAME} printable characters")
    if logo and not _is_https(logo):
        complaints.add("logo_url must be an https URL, such as https://shop.example/logo.svg")
    if colour and not _COLOUR.match(colour):
        complaints.add("colour must be #rrggbb, such as #2255aa")
    return Brand(name, logo, colour)


def _is_https(url: str) -> bool:
    plain = url.isascii() and url.isprintable() and " " not in url and len(url) <= _LONGEST_URL
    try:
        parts = urlsplit(url)
        _ = parts.port  # Read here, as a port that is no number raises only then.
    except ValueError:
        return False
    named = bool(parts.hostname) and "@" not in parts.netloc
    return plain and named and parts.scheme == "https"


def _refund_addresses(
    services: Services, client: Client, given: Mapping[str, str], complaints: Complaints
) -> dict[str, str]:
    found = dict(client.refund_addresses)
    for kind, text in given.items():
        found.pop(kind, None)
        if text.strip():
            found[kind] = complaints.read(partial(_spelled, services, kind, text.strip())) or ""
    return found


def _spelled(services: Services, kind: str, text: str) -> str:
    """An address of a kind of chain in its one spelling."""
    chains = services.catalogue.chains
    chain = next((services.chains[c] for c in services.chains if chains[c].kind == kind), None)
    if chain is None:
        kinds = ", ".join(sorted({chains[c].kind for c in services.chains}))
        raise InvalidInput(f"refund_addresses: {kind} is no kind of chain here; there are {kinds}")
    try:
        return chain.canonical_address(text)
    except ValueError as error:
        raise InvalidInput(f"refund_addresses: the {kind} address {error}") from error


def _refuse_taken_name(unit: Unit, client: Client) -> None:
    if any(c.name == client.name and c.id != client.id for c in unit.access.clients()):
        raise InvalidInput(f"name: there is a client {client.name} already")
