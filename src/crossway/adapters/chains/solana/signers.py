"""Solana keys: their export formats, signers, and keys of deposit addresses."""

import hmac
import json
import re

import base58
from solders.keypair import Keypair

from crossway.adapters.chains.rpc.keys import KeyHolder, KeyKind, KeyMissing, parse_hex_key
from crossway.adapters.chains.signers.external_key import Ed25519Signer
from crossway.ports.signing import MessageSigner, SigningRequest

_SEED, _KEYPAIR_BYTES = 32, 64
# A key has 64 bytes; 32 bytes in base58 would be an address.
_BASE58 = re.compile(r"[1-9A-HJ-NP-Za-km-z]{80,90}\Z", re.ASCII)
_DEPOSIT_PURPOSE = b"crossway deposit address\0"
PROGRAM_PURPOSE = b"crossway program\0"


class SolanaSigner(KeyHolder):
    """Signs with a key in memory."""

    __slots__ = ("_pair",)

    def __init__(self, secret: bytes) -> None:
        self._pair = _pair(secret)
        super().__init__(str(self._pair.pubkey()))

    def sign(self, message: bytes, request: SigningRequest | None = None) -> bytes:
        """The 64-byte signature of a message."""
        return bytes(self._pair.sign_message(message))

    def other(self, purpose: bytes) -> "SolanaSigner":
        """A keypair derived for one purpose, such as a program's."""
        return SolanaSigner(hmac.digest(self._pair.secret(), purpose, "sha256"))


def derived_signer(signer: MessageSigner, purpose: bytes) -> SolanaSigner:
    """A keypair that is derived from an account's key. Raises `ValueError` where that key is
    outside."""
    if not isinstance(signer, SolanaSigner):
        raise ValueError(
            "the program's address and its deployment follow from a key in this process; with a "
            "key outside, deploy with a local one and name the program in the profile"
        )
    return signer.other(purpose)


class DepositKeys(KeyHolder):
    """Derives a keypair for each intent from one secret. `address` is a fingerprint that identifies
    the secret without revealing it."""

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        self._secret = secret[:_SEED]
        super().__init__(self.of(b"").address)

    def of(self, key: bytes) -> SolanaSigner:
        """The keypair of an intent's deposit address."""
        return SolanaSigner(hmac.digest(self._secret, _DEPOSIT_PURPOSE + key, "sha256"))


def parse_key(text: str) -> bytes | None:
    """Parse a key as wallets export it: a JSON array, base58, or 64 hex digits of the seed."""
    if (seed := parse_hex_key(text)) is not None:
        return seed
    if text.startswith("["):
        return _parse_json_key(text)
    if _BASE58.match(text):
        whole = base58.b58decode(text)
        return whole if len(whole) == _KEYPAIR_BYTES else None
    return None


def _parse_json_key(text: str) -> bytes | None:
    try:
        read = json.loads(text)
        values = bytes(read)
    except (ValueError, TypeError):
        return None
    return values if len(values) in (_SEED, _KEYPAIR_BYTES) else None


def _pair(secret: bytes) -> Keypair:
    if len(secret) not in (_SEED, _KEYPAIR_BYTES):
        raise KeyMissing("it is not a Solana private key")
    pair = Keypair.from_seed(secret[:_SEED])
    if secret != bytes(pair)[: len(secret)]:
        raise KeyMissing("its two halves do not match: copy the key again")
    return pair


_KEY_FORMS = (
    "a private key of Solana: a JSON array of 64 numbers, base58 of 64 bytes, or 64 hex digits"
)
KEYS: KeyKind[MessageSigner] = KeyKind(
    _KEY_FORMS, parse_key, SolanaSigner, "ed25519", Ed25519Signer
)
DEPOSIT_KEYS = KeyKind(_KEY_FORMS, parse_key, DepositKeys)
