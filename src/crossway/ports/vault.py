"""The port that encrypts personal data and secrets stored in the database."""

from typing import Protocol


class Vault(Protocol):
    """Encrypts with keys that are kept outside the database."""

    def encrypt(self, plain: bytes) -> bytes:
        """Encrypt; equal inputs give different results."""
        ...

    def decrypt(self, sealed: bytes) -> bytes:
        """Decrypt with any of the current keys. Raises `ValueError` when none fits."""
        ...

    def reencrypt(self, sealed: bytes) -> bytes | None:
        """The same content encrypted with the newest key; None when it already is."""
        ...

    def derive_key(self, purpose: str) -> bytes:
        """A secret of 32 bytes for one purpose, which stays the same when keys are rotated."""
        ...

    def sign(self, text: str) -> str:
        """A signature that only who has the secret key can make."""
        ...

    def is_signed(self, text: str, signature: str) -> bool:
        """Whether a signature was made for a text with any of the current keys."""
        ...

    def blind_index(self, text: str) -> str:
        """A keyed digest for look-ups that reveals nothing without the key."""
        ...
