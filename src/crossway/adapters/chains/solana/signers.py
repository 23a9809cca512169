"""Keys of Solana: how wallets write them, who signs with one, and keys of deposit addresses."""

import hmac
import json
import re

import base58
from solders.keypair import Keypair

from crossway.adapters.chains.live.keys import KeyKind, KeyMissing, read_hex

_SEED, _WHOLE = 32, 64
# A key of 64 bytes; 32 bytes in the same letters would be an address.
_BASE58 = re.compile(r"[1-9A-HJ-NP-Za-km-z]{80,90}\Z", re.ASCII)
_PURPOSE = b"crossway deposit address\0"


class SolanaSigner:
    """Signs with a key in this process's memory. Nothing shows it: not `repr`, no error."""

    __slots__ = ("_pair", "address")

    def __init__(self, secret: bytes) -> None:
        self._pair = _pair(secret)
        self.address = str(self._pair.pubkey())

    def __repr__(self) -> str:
        return f"SolanaSigner({self.address})"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a key is not written down")

    def sign(self, message: bytes) -> bytes:
        """The 64 bytes of the signature of a whole message."""
        return bytes(self._pair.sign_message(message))

    def other(self, purpose: bytes) -> "SolanaSigner":
        """An account of the same owner that is used once, such as a program's."""
        return SolanaSigner(hmac.digest(self._pair.secret(), purpose, "sha256"))


class DepositKeys:
    """Derives a key for each intent from one secret: addresses that are ordinary accounts."""

    __slots__ = ("_secret", "address")

    def __init__(self, secret: bytes) -> None:
        self._secret = secret[:_SEED]
        # Tells one secret from another without saying anything of it.
        self.address = self.of(b"").address

    def __repr__(self) -> str:
        return f"DepositKeys({self.address})"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a key is not written down")

    def of(self, key: bytes) -> SolanaSigner:
        """Who signs for the deposit address of an intent with this key."""
        return SolanaSigner(hmac.digest(self._secret, _PURPOSE + key, "sha256"))


def read_key(text: str) -> bytes | None:
    """A key as wallets export it: a JSON array, base58, or the 64 hex digits of its seed."""
    if (seed := read_hex(text)) is not None:
        return seed
    if text.startswith("["):
        return _listed(text)
    if _BASE58.match(text):
        whole = base58.b58decode(text)
        return whole if len(whole) == _WHOLE else None
    return None


def _listed(text: str) -> bytes | None:
    try:
        read = json.loads(text)
        found = bytes(read)
    except (ValueError, TypeError):
        return None
    return found if len(found) in (_SEED, _WHOLE) else None


def _pair(secret: bytes) -> Keypair:
    if len(secret) not in (_SEED, _WHOLE):
        raise KeyMissing("it is no private key of Solana")
    pair = Keypair.from_seed(secret[:_SEED])
    if secret != bytes(pair)[: len(secret)]:
        raise KeyMissing("its two halves do not belong together: copy the key again")
    return pair


_LOOKS = "a private key of Solana: a JSON array of 64 numbers, base58 of 64 bytes, or 64 hex digits"
KEYS = KeyKind(_LOOKS, read_key, SolanaSigner)
DEPOSIT_KEYS = KeyKind(_LOOKS, read_key, DepositKeys)
