"""Authenticating API keys, with a short-lived cache, and recording when keys were last used."""

import time
from datetime import timedelta
from hashlib import sha256

from crossway.domain.clients import Principal
from crossway.domain.errors import Unauthorized
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

CACHE_SECONDS = 5.0
USAGE_FLUSH_SECONDS = 15.0
IDEMPOTENCY_RETENTION = timedelta(hours=24)
_MAX_CACHED = 10_000


def get_cached_principal(services: Services, bearer: str) -> Principal | None:
    """The principal of a key that was looked up within `CACHE_SECONDS`; reads no database."""
    cached = services.process.api_keys.by_hash.get(hash_secret(bearer))
    if cached is None or time.monotonic() - cached[0] > CACHE_SECONDS:
        return None
    caller = cached[1]
    # The clock is read only for the few keys that expire.
    if caller.key and caller.key.expires_at and caller.key.is_expired(services.clock.now()):
        return None
    return caller


def was_authenticated(services: Services, bearer: str) -> bool:
    """Whether this key was valid when it was last looked up, however long ago."""
    return hash_secret(bearer) in services.process.api_keys.by_hash


def authenticate(services: Services, bearer: str) -> Principal:
    """The principal of an API key. Raises `Unauthorized` for an unknown, revoked or expired key."""
    if (caller := get_cached_principal(services, bearer)) is not None:
        return caller
    key_hash, now = hash_secret(bearer), services.clock.now()
    with services.store.read() as unit:
        key_and_client = unit.api_keys.find_api_key(key_hash)
    if key_and_client is None or key_and_client[0].is_expired(now):
        services.process.api_keys.by_hash.pop(key_hash, None)
        raise Unauthorized("Unauthorized")
    if len(services.process.api_keys.by_hash) >= _MAX_CACHED:
        services.process.api_keys.by_hash.clear()
    key, client = key_and_client
    caller = Principal(client, key.mode, key.scopes, key.id, key=key)
    services.process.api_keys.by_hash[key_hash] = time.monotonic(), caller
    services.process.api_keys.last_used[key.id] = now
    if time.monotonic() - services.process.api_keys.written_at > USAGE_FLUSH_SECONDS:
        flush_usage(services)
    return caller


def flush_usage(services: Services) -> None:
    """Write when keys were last used and delete expired idempotency responses, in one commit."""
    cache = services.process.api_keys
    cache.written_at = time.monotonic()
    last_used, cache.last_used = cache.last_used, {}
    if not last_used:
        return
    oldest = services.clock.now() - IDEMPOTENCY_RETENTION

    def work(unit: UnitOfWork) -> None:
        unit.api_keys.touch_api_keys(last_used)
        unit.api_keys.delete_idempotency_slots_before(oldest)

    services.store.write(work)


def hash_secret(secret: str) -> str:
    """The hash by which an API key is stored."""
    return sha256(secret.encode()).hexdigest()
