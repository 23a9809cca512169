"""The port of chains whose wallets sign whole transactions, which the service builds for them."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class TransferBuilder(Protocol):
    """A chain on which a wallet does not build a transfer from its terms."""

    def unsigned_transfer(self, sender: str, to: str, token: str, units: int) -> bytes:
        """A transaction in which `sender` sends units of a token to an owner's address and pays
        for all of it; soon too old to be included. Raises `Unreachable`."""
        ...
