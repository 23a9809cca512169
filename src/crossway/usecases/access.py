"""Who may call: clients, their keys, and the look-up of a bearer key."""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256
from uuid import uuid4

from crossway.domain.clients import (
    DEFAULT_REQUESTS_PER_MINUTE,
    MAX_APP_FEE_BPS,
    Caller,
    Client,
    Key,
    Mode,
    Scope,
)
from crossway.domain.errors import InvalidInput, NotFound, Unauthorized
from crossway.ports.services import Services
from crossway.ports.store import Unit

FRESH_SECONDS = 5.0
WRITE_USES_EVERY_SECONDS = 15.0
KEPT_ANSWERS = timedelta(hours=24)
SHOWN_CHARACTERS = 12
FIRST_CLIENT = "Default"
_MOST_SEEN = 10_000
_LONGEST_NAME = 100
Randomness = Callable[[], str]


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key with its secret, which is shown once: only its hash is stored."""

    secret: str
    key: Key


@dataclass(frozen=True, slots=True)
class ClientChange:
    """What to change of a client; None changes nothing. A cap of -1 takes the cap away."""

    name: str | None = None
    app_fee_bps: int | None = None
    app_fee_cap_micro_usd: int | None = None
    requests_per_minute: int | None = None


def random_part() -> str:
    """32 URL-safe characters, 192 bits of the system's randomness."""
    return secrets.token_urlsafe(24)


def create_client(services: Services, name: str, by: str) -> Client:
    """A client without keys; its name is unique."""
    client = _new_client(services, name)

    def work(unit: Unit) -> None:
        _refuse_taken_name(unit, client)
        unit.access.add_client(client)
        unit.network.audit(by, "client created", {"client": client.name}, client.created_at)

    services.store.write(work)
    return client


def change_client(services: Services, client_id: str, change: ClientChange, by: str) -> Client:
    """Rename a client, or change its app fee or its rate limit; in force at once here."""

    def work(unit: Unit) -> Client:
        known = unit.access.client(client_id)
        if known is None:
            raise NotFound("Client not found")
        client = _changed(known, change)
        _refuse_taken_name(unit, client)
        unit.access.change_client(client)
        unit.network.audit(by, "client changed", {"client": client.name}, services.clock.now())
        return client

    client = services.store.write(work)
    services.keys.seen.clear()
    return client


def clients(services: Services) -> list[Client]:
    """Every client, oldest first."""
    with services.store.read() as unit:
        return unit.access.clients()


def client_named(services: Services, name: str) -> Client | None:
    """The client of this name."""
    return next((c for c in clients(services) if c.name == name), None)


def make_key(
    services: Services,
    client_id: str,
    mode: Mode,
    by: str,
    scopes: frozenset[Scope] = frozenset(Scope),
    randomness: Randomness = random_part,
) -> NewKey:
    """A new key of a client; the answer is the only place where its secret ever stands."""
    if not scopes:
        raise InvalidInput("scopes must name at least one of read, write, refund")

    def work(unit: Unit) -> NewKey:
        client = unit.access.client(client_id)
        if client is None:
            raise NotFound("Client not found")
        return _add_key(services, unit, client, mode, by, scopes, randomness)

    return services.store.write(work)


def keys(services: Services, client_id: str | None = None) -> list[Key]:
    """The keys of one client or of all, without their secrets, oldest first."""
    write_uses(services)
    with services.store.read() as unit:
        return unit.access.keys(client_id)


def revoke(services: Services, key_id: int, by: str) -> None:
    """End a key: at once in this process, within `FRESH_SECONDS` in any other."""
    now = services.clock.now()

    def work(unit: Unit) -> None:
        if not unit.access.revoke_key(key_id, now):
            raise NotFound("Key not found, or revoked already")
        unit.network.audit(by, "key revoked", {"key": key_id}, now)

    services.store.write(work)
    for hashed, (_, key, _client) in tuple(services.keys.seen.items()):
        if key.id == key_id:
            services.keys.seen.pop(hashed, None)


def recall(services: Services, bearer: str) -> Caller | None:
    """The caller of a key that was looked up in the last seconds; asks no store."""
    known = services.keys.seen.get(hash_of(bearer))
    if known is None or time.monotonic() - known[0] > FRESH_SECONDS:
        return None
    return _caller(known[1], known[2])


def was_seen(services: Services, bearer: str) -> bool:
    """Whether this key was good when it was last looked up, however long ago."""
    return hash_of(bearer) in services.keys.seen


def authenticate(services: Services, bearer: str) -> Caller:
    """The caller of a key; a missing, unknown or revoked one raises `Unauthorized`."""
    if (caller := recall(services, bearer)) is not None:
        return caller
    hashed = hash_of(bearer)
    with services.store.read() as unit:
        found = unit.access.key_by_hash(hashed)
    if found is None or found[0].revoked_at is not None:
        services.keys.seen.pop(hashed, None)
        raise Unauthorized("Unauthorized")
    if len(services.keys.seen) >= _MOST_SEEN:
        services.keys.seen.clear()
    services.keys.seen[hashed] = (time.monotonic(), *found)
    services.keys.used[found[0].id] = services.clock.now()
    if time.monotonic() - services.keys.written > WRITE_USES_EVERY_SECONDS:
        write_uses(services)
    return _caller(*found)


def write_uses(services: Services) -> None:
    """Write when keys were last used, and drop replayable answers past their day: one commit."""
    memory = services.keys
    memory.written = time.monotonic()
    used, memory.used = memory.used, {}
    if not used:
        return
    oldest = services.clock.now() - KEPT_ANSWERS

    def work(unit: Unit) -> None:
        unit.access.touch_keys(used)
        unit.access.forget_before(oldest)

    services.store.write(work)


def first_run(
    services: Services, by: str, randomness: Randomness = random_part
) -> Mapping[Mode, str]:
    """On an empty database: the first client with one test and one live key; else nothing."""

    def work(unit: Unit) -> Mapping[Mode, str]:
        unit.network.lock("first-run")
        if unit.access.clients():
            return {}
        client = _new_client(services, FIRST_CLIENT)
        unit.access.add_client(client)
        every = frozenset(Scope)
        return {
            mode: _add_key(services, unit, client, mode, by, every, randomness).secret
            for mode in Mode
        }

    return services.store.write(work)


def hash_of(secret: str) -> str:
    """What is stored of a key."""
    return sha256(secret.encode()).hexdigest()


def _caller(key: Key, client: Client) -> Caller:
    return Caller(client, key.mode, key.scopes, key.id)


def _add_key(
    services: Services,
    unit: Unit,
    client: Client,
    mode: Mode,
    by: str,
    scopes: frozenset[Scope],
    randomness: Randomness,
) -> NewKey:
    now = services.clock.now()
    secret = f"cr_{mode}_{randomness()}"
    shown = secret[:SHOWN_CHARACTERS]
    key = Key(0, client.id, mode, scopes, shown, now, revoked_at=None, last_used_at=None)
    key = replace(key, id=unit.access.add_key(key, hash_of(secret)))
    unit.network.audit(by, "key created", {"client": client.name, "key": shown}, now)
    return NewKey(secret, key)


def _new_client(services: Services, name: str) -> Client:
    return _changed(
        Client(str(uuid4()), "", 0, None, DEFAULT_REQUESTS_PER_MINUTE, services.clock.now()),
        ClientChange(name=name),
    )


def _changed(client: Client, change: ClientChange) -> Client:
    complaints = []
    name = client.name if change.name is None else change.name.strip()
    fee = client.app_fee_bps if change.app_fee_bps is None else change.app_fee_bps
    cap = change.app_fee_cap_micro_usd
    cap = client.app_fee_cap_micro_usd if cap is None else None if cap == -1 else cap
    most = change.requests_per_minute or client.requests_per_minute
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        complaints.append(f"name must be 1 to {_LONGEST_NAME} printable characters")
    if not 0 <= fee <= MAX_APP_FEE_BPS:
        complaints.append(f"app_fee_bps must be 0 to {MAX_APP_FEE_BPS}")
    if cap is not None and cap < 0:
        complaints.append("app_fee_cap_micro_usd must not be negative")
    if not 1 <= most <= 1_000_000:
        complaints.append("requests_per_minute must be 1 to 1 000 000")
    if complaints:
        raise InvalidInput("; ".join(complaints))
    return replace(
        client,
        name=name,
        app_fee_bps=fee,
        app_fee_cap_micro_usd=cap,
        requests_per_minute=most,
    )


def _refuse_taken_name(unit: Unit, client: Client) -> None:
    if any(c.name == client.name and c.id != client.id for c in unit.access.clients()):
        raise InvalidInput(f"name: there is a client {client.name} already")
