"""API keys: made, changed, replaced and ended; only their hashes are stored."""

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from crossway.domain.clients import Caller, Client, Key, Mode, Scope, networks
from crossway.domain.errors import InvalidInput, NotFound, WrongState
from crossway.domain.roles import Right
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.complaints import Complaints
from crossway.usecases.developers.access import hash_of, write_uses
from crossway.usecases.developers.clients import checked_rate, differences, fresh

SHOWN_CHARACTERS = 12
FIRST_CLIENT = "Default"
USUAL_OVERLAP = timedelta(hours=24)
LONGEST_OVERLAP = timedelta(days=30)
MOST_NETWORKS = 50
Randomness = Callable[[], str]


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key with its secret, which is shown once: only its hash is stored."""

    secret: str
    key: Key


@dataclass(frozen=True, slots=True)
class KeyChange:
    """What to change of a key; None changes nothing. A rate of 0 gives it the client's again;
    without addresses it may be used from anywhere."""

    scopes: frozenset[Scope] | None = None
    requests_per_minute: int | None = None
    addresses: tuple[str, ...] | None = None


def random_part() -> str:
    """32 URL-safe characters, 192 bits of the system's randomness."""
    return secrets.token_urlsafe(24)


def make(
    services: Services,
    client_id: str,
    mode: Mode,
    caller: Caller,
    scopes: frozenset[Scope] = frozenset(Scope),
    randomness: Randomness = random_part,
    requests_per_minute: int | None = None,
    addresses: Iterable[str] = (),
) -> NewKey:
    """A new key of a client; the answer is the only place where its secret ever stands."""
    caller.must(Right.MANAGE)
    wanted = KeyChange(scopes, requests_per_minute, tuple(addresses))
    key = _changed(_bare(client_id, mode, services.clock.now()), wanted)

    def work(unit: Unit) -> NewKey:
        client = unit.access.client(client_id)
        if client is None:
            raise NotFound("Client not found")
        return _add(unit, client, key, caller.who, randomness)

    return services.store.write(work)


def every(services: Services, client_id: str | None = None) -> list[Key]:
    """The keys of one client or of all, without their secrets, oldest first."""
    write_uses(services)
    with services.store.read() as unit:
        return unit.access.keys(client_id)


def change(services: Services, key_id: int, change: KeyChange, caller: Caller) -> Key:
    """Change what a key may do, how often and from where; at once in this process, within five
    seconds in any other. Raises `WrongState` when it has ended."""
    caller.must(Right.MANAGE)
    now = services.clock.now()

    def work(unit: Unit) -> Key:
        known = _living(unit, key_id, now)
        key = _changed(known, change)
        _store(unit, known, key, caller.who, "key changed", now)
        return key

    key = services.store.write(work)
    _forget(services, key_id)
    return key


def rotate(
    services: Services,
    key_id: int,
    caller: Caller,
    overlap: timedelta = USUAL_OVERLAP,
    randomness: Randomness = random_part,
) -> NewKey:
    """A new key just like this one, which itself works on for the overlap (at most 30 days)."""
    caller.must(Right.MANAGE)
    if not timedelta(0) <= overlap <= LONGEST_OVERLAP:
        raise InvalidInput("overlap must be from 0 seconds to 30 days")
    now = services.clock.now()

    def work(unit: Unit) -> NewKey:
        old = _living(unit, key_id, now)
        if old.ends_at is not None:
            raise WrongState(f"Key {key_id} was replaced already: rotate the one that replaced it")
        client = unit.access.client(old.client_id)
        assert client is not None
        ending = replace(old, ends_at=now + overlap)
        _store(unit, old, ending, caller.who, "key rotated", now)
        bare = replace(old, id=0, created_at=now, last_used_at=None)
        return _add(unit, client, bare, caller.who, randomness)

    made = services.store.write(work)
    _forget(services, key_id)
    return made


def revoke(services: Services, key_id: int, caller: Caller) -> None:
    """End a key: at once in this process, within five seconds in any other."""
    caller.must(Right.MANAGE)
    now = services.clock.now()

    def work(unit: Unit) -> None:
        if not unit.access.revoke_key(key_id, now):
            raise NotFound("Key not found, or revoked already")
        unit.network.audit(caller.who, "key revoked", {"key": key_id}, now, f"key:{key_id}")

    services.store.write(work)
    _forget(services, key_id)


def first_run(
    services: Services, by: str, randomness: Randomness = random_part
) -> Mapping[Mode, str]:
    """On an empty database: the first client with one test and one live key; else nothing."""

    def work(unit: Unit) -> Mapping[Mode, str]:
        unit.network.lock("first-run")
        if unit.access.clients():
            return {}
        client = fresh(services, FIRST_CLIENT)
        unit.access.add_client(client)
        bare = {mode: _bare(client.id, mode, client.created_at) for mode in Mode}
        return {mode: _add(unit, client, bare[mode], by, randomness).secret for mode in Mode}

    return services.store.write(work)


def _bare(client_id: str, mode: Mode, now: datetime) -> Key:
    every_scope = frozenset(Scope)
    return Key(0, client_id, mode, every_scope, "", now, revoked_at=None, last_used_at=None)


def _living(unit: Unit, key_id: int, now: datetime) -> Key:
    key = unit.access.key(key_id)
    if key is None:
        raise NotFound("Key not found")
    if key.ended(now):
        raise WrongState(f"Key {key_id} has ended")
    return key


def _changed(key: Key, change: KeyChange) -> Key:
    complaints, rate, given = Complaints(), change.requests_per_minute, change.addresses
    if change.scopes is not None and not change.scopes:
        complaints.add("scopes must name at least one of read, write, refund")
    if rate:
        complaints.read(lambda: checked_rate(rate))
    addresses = complaints.read(lambda: networks(given or (), "addresses")) or ()
    if len(addresses) > MOST_NETWORKS:
        complaints.add(f"addresses must be at most {MOST_NETWORKS} networks")
    complaints.refuse()
    return replace(
        key,
        scopes=key.scopes if change.scopes is None else change.scopes,
        requests_per_minute=key.requests_per_minute if rate is None else rate or None,
        addresses=key.addresses if given is None else addresses,
    )


def _store(unit: Unit, known: Key, key: Key, by: str, what: str, now: datetime) -> None:
    before, after = differences(_told(known), _told(key))
    if after:
        unit.access.change_key(key)
        detail, subject = {"key": key.shown}, f"key:{key.id}"
        unit.network.audit(by, what, detail, now, subject, before, after)


def _add(unit: Unit, client: Client, key: Key, by: str, randomness: Randomness) -> NewKey:
    secret = f"cr_{key.mode}_{randomness()}"
    key = replace(key, shown=secret[:SHOWN_CHARACTERS])
    key = replace(key, id=unit.access.add_key(key, hash_of(secret)))
    detail, subject = {"client": client.name, "key": key.shown}, f"key:{key.id}"
    unit.network.audit(by, "key created", detail, key.created_at, subject, None, _told(key))
    return NewKey(secret, key)


def _told(key: Key) -> dict[str, Any]:
    """What the audit log tells of a key: never its secret."""
    return {
        "mode": key.mode.value,
        "scopes": sorted(key.scopes),
        "requests_per_minute": key.requests_per_minute,
        "addresses": list(key.addresses),
        "ends_at": key.ends_at.isoformat() if key.ends_at else None,
    }


def _forget(services: Services, key_id: int) -> None:
    """Let this process look a key up anew."""
    for hashed, (_, key, _client) in tuple(services.keys.seen.items()):
        if key.id == key_id:
            services.keys.seen.pop(hashed, None)
