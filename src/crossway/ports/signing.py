"""The port of a signing key, held locally or by a remote signer."""

from typing import Protocol


class Signer(Protocol):
    """One account of one chain. Signing the same digest twice gives the same signature."""

    address: str
    """The account's address in canonical form."""

    def sign(self, digest: bytes) -> tuple[int, int, int]:
        """Sign 32 bytes; returns y parity (0 or 1), r and the low s.

        Raises `Unreachable` when a remote signer does not answer.
        """
        ...
