"""Limits on guesses of passwords and codes, counted in this process.

Wrong guesses count per name and address, so that nobody is locked out from elsewhere. Higher limits
per name and per address bound guessing from many addresses and of many names; they do not hold for
an address from which the person signed in before.
"""

import time
from collections import deque
from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv6Address, ip_network
from math import ceil

from crossway.domain.clients import normalize_address
from crossway.domain.errors import TooManyRequests
from crossway.domain.staff import name_key
from crossway.ports.process import SessionCache
from crossway.ports.services import Services

_MAX_KEYS = 20_000
# A customer of a provider usually has a whole IPv6 network of this size.
_IPV6_NETWORK_BITS = 64


class TooManyTriesForName(TooManyRequests):
    """A name was tried too often from anywhere; a passkey or a recovery code still signs in."""


@dataclass(frozen=True, slots=True)
class _Limit:
    """At most so many guesses within so many seconds."""

    guesses: int
    seconds: float


class GuessKind(Enum):
    """What is guessed: its limit per name and address, and its limit per name from anywhere."""

    PASSWORD = (_Limit(5, 600.0), _Limit(100, 3600.0))
    # One in 333,000 guesses of six digits is right, as three codes are valid at a time.
    CODE = (_Limit(5, 600.0), _Limit(30, 86_400.0))


ADDRESS_LIMIT = _Limit(60, 600.0)


@dataclass(frozen=True, slots=True)
class Guess:
    """One guess of a person's password or code from an address."""

    kind: GuessKind
    name: str
    address: str

    @property
    def pair_key(self) -> str:
        """The key of guesses for this name from this address."""
        return f"{self._name_key} {_network(self.address)}"

    @property
    def limits(self) -> dict[str, _Limit]:
        """Every limit by its key."""
        for_pair, for_name = self.kind.value
        return {
            self.pair_key: for_pair,
            self._name_key: for_name,
            f"address:{_network(self.address)}": ADDRESS_LIMIT,
        }

    @property
    def _name_key(self) -> str:
        return f"{self.kind.name}:{name_key(self.name)[:100]}"


def record_attempt(services: Services, guess: Guess, has_recovery_code: bool = False) -> None:
    """Count a guess before it is checked, so that concurrent ones count too.

    With a valid recovery code, only the limit per name and address holds. Raises
    `TooManyRequests` with the time to wait, as `TooManyTriesForName` where only the name's limit is
    exceeded; refused guesses are not counted.
    """
    cache, now = services.process.sessions, time.monotonic()
    with cache.lock:
        if len(cache.login_attempts) > _MAX_KEYS:
            _drop_expired(cache.login_attempts, now)
        known = has_recovery_code or guess.pair_key in cache.known_addresses
        limits = guess.limits
        delays = {
            key: _seconds_to_wait(cache, key, limit, now)
            for key, limit in limits.items()
            if key == guess.pair_key or not known
        }
        if (seconds := ceil(max(delays.values()))) > 0:
            raise _refusal(seconds, for_name=max(delays, key=delays.__getitem__) == [*limits][1])
        for key in limits:
            cache.login_attempts.setdefault(key, deque()).append(now)


def clear_attempts(services: Services, guess: Guess) -> None:
    """Forget a right guess and the wrong ones before it from the same address, which is known from
    now on. Guesses from elsewhere still count."""
    cache = services.process.sessions
    with cache.lock:
        cache.login_attempts.pop(guess.pair_key, None)
        for key in guess.limits:
            if attempts := cache.login_attempts.get(key):
                attempts.pop()
        if len(cache.known_addresses) >= _MAX_KEYS:
            cache.known_addresses.clear()
        cache.known_addresses.add(guess.pair_key)


def _seconds_to_wait(cache: SessionCache, key: str, limit: _Limit, now: float) -> float:
    attempts = cache.login_attempts.get(key, deque())
    while attempts and now - attempts[0] > limit.seconds:
        attempts.popleft()
    return attempts[0] + limit.seconds - now if len(attempts) >= limit.guesses else 0.0


def _refusal(seconds: int, for_name: bool) -> TooManyRequests:
    wait = f"wait {_format_seconds(seconds)}"
    if for_name:
        sentence = (
            f"Too many tries for this name: {wait}, or sign in with a passkey or a recovery code "
            "if you have one"
        )
        return TooManyTriesForName(sentence, seconds)
    return TooManyRequests(f"Too many tries: {wait}, then try again", seconds)


def _network(address: str) -> str:
    """What counts as one address: an IPv4 address, or an IPv6 network."""
    try:
        parsed = normalize_address(address)
    except ValueError:
        return address[:100]
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed.packed, _IPV6_NETWORK_BITS), strict=False))
    return str(parsed)


def _drop_expired(attempts_by_key: dict[str, deque[float]], now: float) -> None:
    longest = max(limit.seconds for kind in GuessKind for limit in kind.value)
    for key in [
        key
        for key, attempts in attempts_by_key.items()
        if not attempts or now - attempts[-1] > longest
    ]:
        del attempts_by_key[key]


def _format_seconds(seconds: int) -> str:
    if seconds < 60:
        return f"{seconds} second{'' if seconds == 1 else 's'}"
    minutes = ceil(seconds / 60)
    if minutes <= 90:
        return f"{minutes} minute{'' if minutes == 1 else 's'}"
    return f"{ceil(minutes / 60)} hours"
