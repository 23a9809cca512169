"""Signing on Tron: with the same keys as on EVM chains, but base58check addresses."""

from crossway.adapters.chains.evm.signers import LocalSigner
from crossway.adapters.chains.rpc.keys import KeyKind, parse_hex_key
from crossway.adapters.chains.tron.address_format import to_base58
from crossway.ports.signing import Signer


class TronSigner(LocalSigner):
    """Signs with a private key in memory. Neither `repr` nor any error shows the key."""

    __slots__ = ()

    def __init__(self, secret: bytes) -> None:
        super().__init__(secret)
        self.address = to_base58(self.address)


KEYS: KeyKind[Signer] = KeyKind("a private key: 64 hex digits", parse_hex_key, TronSigner)
