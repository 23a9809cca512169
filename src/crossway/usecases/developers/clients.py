"""API clients: names, app fees, rate limits, refund addresses and public profiles."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from crossway.domain.clients import (
    DEFAULT_REQUESTS_PER_MINUTE,
    MAX_APP_FEE_BPS,
    Client,
    Principal,
    PublicProfile,
)
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.validation_errors import ValidationErrors

MAX_REQUESTS_PER_MINUTE = 1_000_000
MAX_NAME_CHARACTERS = 100
_LONGEST_URL = 2_048
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\Z")


@dataclass(frozen=True, slots=True)
class ClientUpdate:
    """Fields of a client to change; None keeps a field. A fee cap of -1 removes the cap.

    `refund_addresses` are by chain family; other families keep theirs, and an empty address
    removes one. An empty text removes a field of the public profile.
    """

    name: str | None = None
    app_fee_bps: int | None = None
    app_fee_cap_micro_usd: int | None = None
    requests_per_minute: int | None = None
    refund_addresses: Mapping[str, str] | None = None
    display_name: str | None = None
    logo_url: str | None = None
    colour: str | None = None


def create_client(services: Services, name: str, caller: Principal) -> Client:
    """Create a client without keys. Raises `InvalidInput` when the name is taken."""
    caller.require_permission(Permission.MANAGE)
    client = new_client(services, name)

    def work(unit: UnitOfWork) -> None:
        _require_unique_name(unit, client)
        unit.api_keys.add_client(client)
        detail, at = {"client": client.name}, client.created_at
        unit.audit_log.record(
            caller.actor_name, "client created", detail, at, f"client:{client.id}"
        )

    services.store.write(work)
    return client


def update_client(
    services: Services, client_id: str, change: ClientUpdate, caller: Principal
) -> Client:
    """Update a client. Takes effect immediately in this process, within five seconds in others."""
    caller.require_permission(Permission.MANAGE)

    def work(unit: UnitOfWork) -> Client:
        existing = unit.api_keys.get_client(client_id)
        if existing is None:
            raise NotFound("Client not found")
        client = _apply_update(services, existing, change)
        _require_unique_name(unit, client)
        before, after = diff_fields(_audit_fields(existing), _audit_fields(client))
        if after:
            unit.api_keys.update_client(client)
            detail, now = {"client": client.name}, services.clock.now()
            subject = f"client:{client.id}"
            unit.audit_log.record(
                caller.actor_name, "client changed", detail, now, subject, before, after
            )
        return client

    client = services.store.write(work)
    services.process.api_keys.by_hash.clear()
    return client


def list_clients(services: Services) -> list[Client]:
    """All clients, oldest first."""
    with services.store.read() as unit:
        return unit.api_keys.list_clients()


def find_client_by_name(services: Services, name: str) -> Client | None:
    """The client with this name, if any."""
    return next((client for client in list_clients(services) if client.name == name), None)


def new_client(services: Services, name: str) -> Client:
    """A client with default settings that is not stored yet."""
    unnamed = Client(str(uuid4()), "", 0, None, DEFAULT_REQUESTS_PER_MINUTE, services.clock.now())
    return _apply_update(services, unnamed, ClientUpdate(name=name))


def diff_fields(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields that differ between two versions of a record: their old and new values."""
    names = [name for name in after if before.get(name) != after[name]]
    return {name: before.get(name) for name in names}, {name: after[name] for name in names}


def _audit_fields(client: Client) -> dict[str, Any]:
    """The fields of a client that the audit log records."""
    fields = asdict(client)
    del fields["id"], fields["created_at"], fields["public_profile"]
    return {**fields, **asdict(client.public_profile)}


def _apply_update(services: Services, client: Client, change: ClientUpdate) -> Client:
    errors = ValidationErrors()
    name = client.name if change.name is None else change.name.strip()
    fee_bps = client.app_fee_bps if change.app_fee_bps is None else change.app_fee_bps
    fee_cap = change.app_fee_cap_micro_usd
    fee_cap = (
        client.app_fee_cap_micro_usd if fee_cap is None else None if fee_cap == -1 else fee_cap
    )
    rate_limit = change.requests_per_minute
    rate_limit = client.requests_per_minute if rate_limit is None else rate_limit
    if not name or len(name) > MAX_NAME_CHARACTERS or not name.isprintable():
        errors.add(f"name must be 1 to {MAX_NAME_CHARACTERS} printable characters")
    if not 0 <= fee_bps <= MAX_APP_FEE_BPS:
        errors.add(f"app_fee_bps must be 0 to {MAX_APP_FEE_BPS}")
    if fee_cap is not None and fee_cap < 0:
        errors.add("app_fee_cap_micro_usd must not be negative")
    errors.collect(validate_rate_limit, rate_limit)
    brand = _brand(client.public_profile, change, errors)
    refunds = _refund_addresses(services, client, change.refund_addresses or {}, errors)
    errors.raise_if_any()
    return replace(
        client,
        name=name,
        app_fee_bps=fee_bps,
        app_fee_cap_micro_usd=fee_cap,
        requests_per_minute=rate_limit,
        refund_addresses=refunds,
        public_profile=brand,
    )


def validate_rate_limit(per_minute: int) -> int:
    """Return the rate limit; raises `InvalidInput` when it is out of bounds."""
    if not 1 <= per_minute <= MAX_REQUESTS_PER_MINUTE:
        raise InvalidInput("requests_per_minute must be 1 to 1 000 000")
    return per_minute


def _brand(
    existing: PublicProfile, change: ClientUpdate, errors: ValidationErrors
) -> PublicProfile:
    name = existing.display_name if change.display_name is None else change.display_name.strip()
    logo = existing.logo_url if change.logo_url is None else change.logo_url.strip()
    colour = existing.colour if change.colour is None else change.colour.strip().lower()
    if len(name) > MAX_NAME_CHARACTERS or not name.isprintable():
        errors.add(f"display_name must be at most {MAX_NAME_CHARACTERS} printable characters")
    if logo and not _is_https(logo):
        errors.add("logo_url must be an https URL, such as https://shop.example/logo.svg")
    if colour and not _COLOUR.match(colour):
        errors.add("colour must be #rrggbb, such as #2255aa")
    return PublicProfile(name, logo, colour)


def _is_https(url: str) -> bool:
    is_printable = (
        url.isascii() and url.isprintable() and " " not in url and len(url) <= _LONGEST_URL
    )
    try:
        parts = urlsplit(url)
        _ = parts.port  # An invalid port raises only when it is read.
    except ValueError:
        return False
    has_host = bool(parts.hostname) and "@" not in parts.netloc
    return is_printable and has_host and parts.scheme == "https"


def _refund_addresses(
    services: Services, client: Client, addresses: Mapping[str, str], errors: ValidationErrors
) -> dict[str, str]:
    refund_addresses = dict(client.refund_addresses)
    for kind, address in addresses.items():
        refund_addresses.pop(kind, None)
        if address.strip():
            refund_addresses[kind] = (
                errors.collect(_parse_refund_address, services, kind, address.strip()) or ""
            )
    return refund_addresses


def _parse_refund_address(services: Services, kind: str, address: str) -> str:
    """The canonical spelling of an address that every chain of a family may refund to."""
    chains = services.catalogue.chains
    canonical = ""
    for chain in (chains[c] for c in services.chains if chains[c].kind == kind):
        field = f"refund_addresses: the {kind} address"
        canonical = parse_payable_address(services, chain, address, field)
    if not canonical:
        kinds = ", ".join(sorted({chains[c].kind for c in services.chains}))
        raise InvalidInput(f"refund_addresses: {kind} is no kind of chain here; there are {kinds}")
    return canonical


def _require_unique_name(unit: UnitOfWork, client: Client) -> None:
    if any(c.name == client.name and c.id != client.id for c in unit.api_keys.list_clients()):
        raise InvalidInput(f"name: there is a client {client.name} already")
