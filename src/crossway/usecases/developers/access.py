"""Who may call: the look-up of a bearer key, and when keys were last used."""

import time
from datetime import timedelta
from hashlib import sha256

from crossway.domain.clients import Caller, Client, Key
from crossway.domain.errors import Unauthorized
from crossway.ports.services import Services
from crossway.ports.store import Unit

FRESH_SECONDS = 5.0
WRITE_USES_EVERY_SECONDS = 15.0
KEPT_ANSWERS = timedelta(hours=24)
_MOST_SEEN = 10_000


def recall(services: Services, bearer: str) -> Caller | None:
    """The caller of a key that was looked up in the last seconds; asks no store."""
    known = services.keys.seen.get(hash_of(bearer))
    if known is None or time.monotonic() - known[0] > FRESH_SECONDS:
        return None
    key = known[1]
    # Most keys have no end: the clock is asked only for those that do.
    if key.ends_at is not None and key.ended(services.clock.now()):
        return None
    return _caller(key, known[2])


def was_seen(services: Services, bearer: str) -> bool:
    """Whether this key was good when it was last looked up, however long ago."""
    return hash_of(bearer) in services.keys.seen


def authenticate(services: Services, bearer: str) -> Caller:
    """The caller of a key; a missing, unknown or ended one raises `Unauthorized`."""
    if (caller := recall(services, bearer)) is not None:
        return caller
    hashed, now = hash_of(bearer), services.clock.now()
    with services.store.read() as unit:
        found = unit.access.key_by_hash(hashed)
    if found is None or found[0].ended(now):
        services.keys.seen.pop(hashed, None)
        raise Unauthorized("Unauthorized")
    if len(services.keys.seen) >= _MOST_SEEN:
        services.keys.seen.clear()
    services.keys.seen[hashed] = (time.monotonic(), *found)
    services.keys.used[found[0].id] = now
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


def hash_of(secret: str) -> str:
    """What is stored of a key."""
    return sha256(secret.encode()).hexdigest()


def _caller(key: Key, client: Client) -> Caller:
    return Caller(client, key.mode, key.scopes, key.id, key=key)
