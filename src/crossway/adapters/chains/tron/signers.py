"""Who signs on Tron: the same keys as on EVM chains, under a base58check address."""

from crossway.adapters.chains.evm.signers import LocalSigner
from crossway.adapters.chains.live.keys import KeyKind, read_hex
from crossway.adapters.chains.tron.forms import named
from crossway.ports.signing import Signer


class TronSigner(LocalSigner):
    """Signs with a key in this process's memory, which nothing shows."""

    __slots__ = ()

    def __init__(self, secret: bytes) -> None:
        super().__init__(secret)
        self.address = named(self.address)


KEYS: KeyKind[Signer] = KeyKind("a private key: 64 hex digits", read_hex, TronSigner)
