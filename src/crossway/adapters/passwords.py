"""Hashes of passwords by Argon2id, a few at a time."""

from contextlib import suppress
from functools import cached_property
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_AT_ONCE = 2


class Argon2Passwords:
    """`ports.passwords.Passwords`; each takes 64 MiB, so no more than two are made at once."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._turn = BoundedSemaphore(_AT_ONCE)

    @cached_property
    def _nobodys(self) -> str:
        return self._hasher.hash("of nobody, that the time it takes tells nothing")

    def hash_of(self, password: str) -> str:
        with self._turn:
            return self._hasher.hash(password)

    def fits(self, known: str, password: str) -> bool:
        with self._turn, suppress(VerificationError, InvalidHashError):
            self._hasher.verify(known or self._nobodys, password)
            return bool(known)
        return False

    def outdated(self, known: str) -> bool:
        return self._hasher.check_needs_rehash(known)
