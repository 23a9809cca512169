"""API keys: create, update, rotate and revoke. Only their hashes are stored."""

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from crossway.domain.clients import ApiKey, Client, Mode, Principal, Scope, parse_networks
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.developers.authentication import flush_usage, hash_secret
from crossway.usecases.developers.clients import diff_fields, new_client, validate_rate_limit
from crossway.usecases.staff.step_up import require_step_up
from crossway.usecases.validation_errors import ValidationErrors

PREFIX_CHARACTERS = 12
FIRST_CLIENT = "Default"
DEFAULT_OVERLAP = timedelta(hours=24)
MAX_OVERLAP = timedelta(days=30)
MAX_NETWORKS = 50
Randomness = Callable[[], str]


@dataclass(frozen=True, slots=True)
class CreatedApiKey:
    """A new key with its secret, which is shown only once."""

    secret: str
    key: ApiKey


@dataclass(frozen=True, slots=True)
class ApiKeyUpdate:
    """Fields of a key to change; None keeps a field. A rate of 0 restores the client's rate; with
    no addresses the key may be used from anywhere."""

    scopes: frozenset[Scope] | None = None
    requests_per_minute: int | None = None
    addresses: tuple[str, ...] | None = None


def generate_secret() -> str:
    """32 URL-safe characters with 192 bits of system randomness."""
    return secrets.token_urlsafe(24)


def create_api_key(
    services: Services,
    client_id: str,
    mode: Mode,
    caller: Principal,
    scopes: frozenset[Scope] = frozenset(Scope),
    randomness: Randomness = generate_secret,
    requests_per_minute: int | None = None,
    addresses: Iterable[str] = (),
) -> CreatedApiKey:
    """Create a key for a client. Its secret is returned only here."""
    caller.require_permission(Permission.MANAGE)
    require_step_up(services, caller.session)
    update = ApiKeyUpdate(scopes, requests_per_minute, tuple(addresses))
    key = _apply_update(_new_key(client_id, mode, services.clock.now()), update)

    def work(unit: UnitOfWork) -> CreatedApiKey:
        client = unit.api_keys.get_client(client_id)
        if client is None:
            raise NotFound("Client not found")
        return _add_key(unit, client, key, caller.actor_name, randomness)

    return services.store.write(work)


def list_api_keys(services: Services, client_id: str | None = None) -> list[ApiKey]:
    """The keys of one client or of all, oldest first."""
    flush_usage(services)
    with services.store.read() as unit:
        return unit.api_keys.list_api_keys(client_id)


def update_api_key(
    services: Services, key_id: int, change: ApiKeyUpdate, caller: Principal
) -> ApiKey:
    """Change a key's scopes, rate limit or allowed networks. Takes effect immediately in this
    process and within five seconds in others. Raises `InvalidStatus` for an expired key."""
    caller.require_permission(Permission.MANAGE)
    require_step_up(services, caller.session)
    now = services.clock.now()

    def work(unit: UnitOfWork) -> ApiKey:
        existing = _get_active_key(unit, key_id, now)
        key = _apply_update(existing, change)
        _update_and_audit(unit, existing, key, caller.actor_name, "key changed", now)
        return key

    key = services.store.write(work)
    _evict_from_cache(services, key_id)
    return key


def rotate_api_key(
    services: Services,
    key_id: int,
    caller: Principal,
    overlap: timedelta = DEFAULT_OVERLAP,
    randomness: Randomness = generate_secret,
) -> CreatedApiKey:
    """Replace a key by a new one with the same settings. The old key expires after `overlap` (at
    most 30 days)."""
    caller.require_permission(Permission.MANAGE)
    require_step_up(services, caller.session)
    if not timedelta(0) <= overlap <= MAX_OVERLAP:
        raise InvalidInput("overlap must be from 0 seconds to 30 days")
    now = services.clock.now()

    def work(unit: UnitOfWork) -> CreatedApiKey:
        old_key = _get_active_key(unit, key_id, now)
        if old_key.expires_at is not None:
            raise InvalidStatus(
                f"Key {key_id} was replaced already: rotate the one that replaced it"
            )
        client = unit.api_keys.get_client(old_key.client_id)
        assert client is not None
        expiring = replace(old_key, expires_at=now + overlap)
        _update_and_audit(unit, old_key, expiring, caller.actor_name, "key rotated", now)
        new_key = replace(old_key, id=0, created_at=now, last_used_at=None)
        return _add_key(unit, client, new_key, caller.actor_name, randomness)

    created = services.store.write(work)
    _evict_from_cache(services, key_id)
    return created


def revoke_api_key(services: Services, key_id: int, caller: Principal) -> None:
    """Revoke a key: immediately in this process, within five seconds in others."""
    caller.require_permission(Permission.MANAGE)
    now = services.clock.now()

    def work(unit: UnitOfWork) -> None:
        if not unit.api_keys.revoke_api_key(key_id, now):
            raise NotFound("Key not found, or revoked already")
        unit.audit_log.record(
            caller.actor_name, "key revoked", {"key": key_id}, now, f"key:{key_id}"
        )

    services.store.write(work)
    _evict_from_cache(services, key_id)


def create_first_client(
    services: Services, actor: str, randomness: Randomness = generate_secret
) -> Mapping[Mode, str]:
    """Create the first client with a test and a live key on an empty database, and return the
    secrets by mode; returns nothing otherwise."""

    def work(unit: UnitOfWork) -> Mapping[Mode, str]:
        unit.leases.lock("first-run")
        if unit.api_keys.list_clients():
            return {}
        client = new_client(services, FIRST_CLIENT)
        unit.api_keys.add_client(client)
        new_key = {mode: _new_key(client.id, mode, client.created_at) for mode in Mode}
        return {
            mode: _add_key(unit, client, new_key[mode], actor, randomness).secret for mode in Mode
        }

    return services.store.write(work)


def _new_key(client_id: str, mode: Mode, now: datetime) -> ApiKey:
    all_scopes = frozenset(Scope)
    return ApiKey(0, client_id, mode, all_scopes, "", now, revoked_at=None, last_used_at=None)


def _get_active_key(unit: UnitOfWork, key_id: int, now: datetime) -> ApiKey:
    key = unit.api_keys.get_api_key(key_id)
    if key is None:
        raise NotFound("Key not found")
    if key.is_expired(now):
        raise InvalidStatus(f"Key {key_id} has ended")
    return key


def _apply_update(key: ApiKey, change: ApiKeyUpdate) -> ApiKey:
    errors, rate_limit, addresses_given = (
        ValidationErrors(),
        change.requests_per_minute,
        change.addresses,
    )
    if change.scopes is not None and not change.scopes:
        errors.add("scopes must name at least one of read, write, refund")
    if rate_limit:
        errors.collect(validate_rate_limit, rate_limit)
    addresses = errors.collect(parse_networks, addresses_given or (), "addresses") or ()
    if len(addresses) > MAX_NETWORKS:
        errors.add(f"addresses must be at most {MAX_NETWORKS} networks")
    errors.raise_if_any()
    return replace(
        key,
        scopes=key.scopes if change.scopes is None else change.scopes,
        requests_per_minute=key.requests_per_minute if rate_limit is None else rate_limit or None,
        addresses=key.addresses if addresses_given is None else addresses,
    )


def _update_and_audit(
    unit: UnitOfWork, existing: ApiKey, key: ApiKey, actor: str, action: str, now: datetime
) -> None:
    before, after = diff_fields(_audit_fields(existing), _audit_fields(key))
    if after:
        unit.api_keys.update_api_key(key)
        detail, subject = {"key": key.display_prefix}, f"key:{key.id}"
        unit.audit_log.record(actor, action, detail, now, subject, before, after)


def _add_key(
    unit: UnitOfWork, client: Client, key: ApiKey, actor: str, randomness: Randomness
) -> CreatedApiKey:
    secret = f"cr_{key.mode}_{randomness()}"
    key = replace(key, display_prefix=secret[:PREFIX_CHARACTERS])
    key = replace(key, id=unit.api_keys.add_api_key(key, hash_secret(secret)))
    detail, subject = {"client": client.name, "key": key.display_prefix}, f"key:{key.id}"
    unit.audit_log.record(
        actor, "key created", detail, key.created_at, subject, None, _audit_fields(key)
    )
    return CreatedApiKey(secret, key)


def _audit_fields(key: ApiKey) -> dict[str, Any]:
    """The fields of a key that the audit log records; never its secret."""
    return {
        "mode": key.mode.value,
        "scopes": sorted(key.scopes),
        "requests_per_minute": key.requests_per_minute,
        "addresses": list(key.addresses),
        "ends_at": key.expires_at.isoformat() if key.expires_at else None,
    }


def _evict_from_cache(services: Services, key_id: int) -> None:
    """Remove a key from this process's cache."""
    for key_hash, (_, caller) in tuple(services.process.api_keys.by_hash.items()):
        if caller.key_id == key_id:
            services.process.api_keys.by_hash.pop(key_hash, None)
