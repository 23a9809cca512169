"""Limits on sign-in attempts per name and per IP address, counted in this process."""

import time
from collections import deque
from math import ceil

from crossway.domain.errors import TooManyRequests
from crossway.domain.staff import name_key
from crossway.ports.services import Services

WINDOW_SECONDS = 600.0
MAX_ATTEMPTS_PER_NAME = 5
MAX_ATTEMPTS_PER_ADDRESS = 20
_MAX_KEYS = 20_000


def record_attempt(services: Services, name: str, address: str) -> None:
    """Count an attempt before its password is checked, so that concurrent attempts count too.
    Raises `TooManyRequests` with the time to wait; refused attempts are not counted."""
    cache, now = services.process.sessions, time.monotonic()
    limits = {
        _name_key(name): MAX_ATTEMPTS_PER_NAME,
        _address_key(address): MAX_ATTEMPTS_PER_ADDRESS,
    }
    with cache.lock:
        if len(cache.login_attempts) > _MAX_KEYS:
            _drop_expired(cache.login_attempts, now)
        attempts_by_key = {key: cache.login_attempts.setdefault(key, deque()) for key in limits}
        delays = [0.0]
        for key, attempts in attempts_by_key.items():
            while attempts and now - attempts[0] > WINDOW_SECONDS:
                attempts.popleft()
            if len(attempts) >= limits[key]:
                delays.append(attempts[0] + WINDOW_SECONDS - now)
        if (seconds := ceil(max(delays))) > 0:
            raise TooManyRequests(
                f"Too many tries: wait {_format_seconds(seconds)}, then try again", seconds
            )
        for attempts in attempts_by_key.values():
            attempts.append(now)


def clear_attempts(services: Services, name: str, address: str) -> None:
    """Forget a successful attempt, and the earlier attempts for its name."""
    cache = services.process.sessions
    with cache.lock:
        cache.login_attempts.pop(_name_key(name), None)
        if attempts := cache.login_attempts.get(_address_key(address)):
            attempts.pop()


def _name_key(name: str) -> str:
    return f"name:{name_key(name)[:100]}"


def _address_key(address: str) -> str:
    return f"address:{address}"


def _drop_expired(attempts_by_key: dict[str, deque[float]], now: float) -> None:
    for key in [
        key
        for key, attempts in attempts_by_key.items()
        if not attempts or now - attempts[-1] > WINDOW_SECONDS
    ]:
        del attempts_by_key[key]


def _format_seconds(seconds: int) -> str:
    if seconds < 60:
        return f"{seconds} second{'' if seconds == 1 else 's'}"
    minutes = ceil(seconds / 60)
    return f"{minutes} minute{'' if minutes == 1 else 's'}"
