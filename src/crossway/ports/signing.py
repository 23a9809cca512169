"""The port of whoever holds a key: here, in a key store, or far away; the key never leaves it."""

from typing import Protocol


class Signer(Protocol):
    """One account of one chain. Signing the same digest twice gives the same signature."""

    address: str
    """The account's address in canonical form."""

    def sign(self, digest: bytes) -> tuple[int, int, int]:
        """The signature of 32 bytes: y parity (0 or 1), r and s (the lower one of the two).
        Raises `Unreachable` where the key is far away and does not answer."""
        ...
