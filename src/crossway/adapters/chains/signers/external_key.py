"""A private key that never enters this process, and the signers that verify what it returns."""

from collections.abc import Callable
from typing import Literal, Protocol

import base58
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.domain.errors import Unreachable
from crossway.ports.signing import SigningRequest

Curve = Literal["secp256k1", "ed25519"]
_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
_SIGNATURE_BYTES, _WORD, _RECOVERY_V = 64, 32, 27


class ExternalKey(Protocol):
    """One key of a remote signer or a token."""

    name: str
    """What messages call it; no secret."""

    def public_key(self) -> bytes:
        """The 64 bytes of both coordinates on secp256k1, the 32 bytes of an Ed25519 key. Raises
        `Unreachable`."""
        ...

    def sign(self, payload: bytes, request: SigningRequest) -> bytes:
        """64 bytes: r and s of the digest, or the Ed25519 signature of the message. Raises
        `Unreachable`."""
        ...


OpenKey = Callable[[Curve], ExternalKey]
"""Opens a key whose curve the family names."""


class ExternalSigner:
    """An account whose key is outside; `address` is what signatures are verified against."""

    def __init__(self, key: ExternalKey, address: str, address_of: Callable[[bytes], str]) -> None:
        """`address` is the one that the profile names; empty for that of the key. Raises
        `ValueError` where the two differ, and `Unreachable` where the key does not answer and the
        profile names none."""
        self._key, self._address_of, self.address = key, address_of, address
        try:
            self.address = self.read_address()
        except Unreachable:
            # A signer that is down must not keep everything else from starting.
            if not address:
                raise

    def read_address(self) -> str:
        """The address of the key, asked anew. Raises `ValueError` where it is not this account's,
        and `Unreachable`."""
        found = self._address_of(self._key.public_key())
        if self.address and found != self.address:
            raise ValueError(f"{self._key.name} is the key of {found}, not of {self.address}")
        return found

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.address})"

    def _request_signature(self, payload: bytes, request: SigningRequest) -> bytes:
        signature = self._key.sign(payload, request)
        if len(signature) != _SIGNATURE_BYTES:
            raise self._not_ours()
        return signature

    def _not_ours(self) -> Unreachable:
        return Unreachable(f"{self._key.name} did not return a signature of {self.address}")


class Secp256k1Signer(ExternalSigner):
    """Signs for an EVM chain, or for Tron by `from_evm`, which spells an EVM address its way."""

    def __init__(
        self, key: ExternalKey, address: str, from_evm: Callable[[str], str] = str
    ) -> None:
        self._from_evm = from_evm
        super().__init__(key, address, lambda public: from_evm(_evm_address(public)))

    def sign(self, digest: bytes, request: SigningRequest) -> tuple[int, int, int]:
        """Parity, r and s; a token may return the higher s, which chains refuse."""
        signature = self._request_signature(digest, request)
        r, s = (int.from_bytes(part, "big") for part in (signature[:_WORD], signature[_WORD:]))
        if not (0 < r < _ORDER and 0 < s < _ORDER):
            raise self._not_ours()
        s = min(s, _ORDER - s)
        for parity in (0, 1):
            if self._recover(digest, parity, r, s) == self.address:
                return parity, r, s
        raise self._not_ours()

    def _recover(self, digest: bytes, parity: int, r: int, s: int) -> str:
        # Imported here: it is heavy, and Ed25519 needs none of it.
        from eth_account import Account

        try:
            address = Account._recover_hash(digest, vrs=(_RECOVERY_V + parity, r, s))
        except Exception:  # The library has no common error for an r that is on no point.
            return ""
        return self._from_evm(str(address))


class Ed25519Signer(ExternalSigner):
    """Signs for Solana."""

    def __init__(self, key: ExternalKey, address: str) -> None:
        super().__init__(key, address, lambda public: base58.b58encode(public).decode())

    def sign(self, message: bytes, request: SigningRequest) -> bytes:
        """The signature of a message."""
        signature = self._request_signature(message, request)
        try:
            Ed25519PublicKey.from_public_bytes(base58.b58decode(self.address)).verify(
                signature, message
            )
        except InvalidSignature:
            raise self._not_ours() from None
        return signature


def _evm_address(public: bytes) -> str:
    return canonical_address("evm", "0x" + keccak256(public)[-20:].hex())
