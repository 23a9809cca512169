"""The port that hashes and verifies passwords."""

from typing import Protocol


class PasswordHasher(Protocol):
    """A deliberately slow password hash."""

    def hash(self, password: str) -> str:
        """The hash to store for a password."""
        ...

    def verify(self, password_hash: str, password: str) -> bool:
        """Whether a password matches a hash; takes equally long for an empty hash (no account)."""
        ...

    def needs_rehash(self, password_hash: str) -> bool:
        """Whether a hash was made with weaker parameters than the current ones."""
        ...
