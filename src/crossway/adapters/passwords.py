"""Password hashing with Argon2id, limited to a few hashes at a time."""

from contextlib import suppress
from functools import cached_property
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_MAX_CONCURRENT = 2


class Argon2PasswordHasher:
    """`ports.passwords.PasswordHasher`. A hash takes 64 MiB of memory; at most two run at once."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._semaphore = BoundedSemaphore(_MAX_CONCURRENT)

    @cached_property
    def _dummy_hash(self) -> str:
        # Verified for unknown accounts, so that the response time does not reveal them.
        return self._hasher.hash("the password of an unknown account")

    def hash(self, password: str) -> str:
        with self._semaphore:
            return self._hasher.hash(password)

    def verify(self, password_hash: str, password: str) -> bool:
        with self._semaphore, suppress(VerificationError, InvalidHashError):
            self._hasher.verify(password_hash or self._dummy_hash, password)
            return bool(password_hash)
        return False

    def needs_rehash(self, password_hash: str) -> bool:
        return self._hasher.check_needs_rehash(password_hash)
