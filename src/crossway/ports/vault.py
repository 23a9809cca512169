"""The port that keeps personal data and secrets unreadable in the database."""

from typing import Protocol


class Vault(Protocol):
    """Encrypts with a key that lies outside the database."""

    def seal(self, plain: bytes) -> bytes:
        """Encrypt; the same bytes give another result each time."""
        ...

    def open(self, sealed: bytes) -> bytes:
        """Decrypt what any of the current keys sealed. Raises `ValueError` when none did."""
        ...

    def renew(self, sealed: bytes) -> bytes | None:
        """The same encrypted with the newest key; None when it is already."""
        ...

    def index(self, text: str) -> str:
        """A keyed digest to find something by, that tells nothing without the key."""
        ...
