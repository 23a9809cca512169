"""Signing on EVM chains with a private key in this process's memory."""

from coincurve import PrivateKey

from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.rpc.keys import KeyKind, KeyMissing, parse_hex_key
from crossway.ports.signing import Signer


class LocalSigner:
    """Signs with a private key in memory. Neither `repr` nor any error shows the key."""

    __slots__ = ("_key", "address")

    def __init__(self, secret: bytes) -> None:
        try:
            self._key = PrivateKey(secret)
        except ValueError:
            raise KeyMissing("it is no private key") from None
        public = self._key.public_key.format(compressed=False)
        self.address = canonical_address("evm", "0x" + keccak256(public[1:])[-20:].hex())

    def __repr__(self) -> str:
        return f"LocalSigner({self.address})"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a signer cannot be pickled")

    def sign(self, digest: bytes) -> tuple[int, int, int]:
        signature = self._key.sign_recoverable(digest, hasher=None)
        r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:64], "big")
        return signature[64], r, s


KEYS: KeyKind[Signer] = KeyKind("a private key: 64 hex digits", parse_hex_key, LocalSigner)
