"""Keys of accounts on Starknet: numbers below the order of its curve, and how they sign."""

import re

from crypto_cpp_py.utils import cpp_generate_k_rfc6979  # type: ignore[import-untyped]
from ecdsa.ecdsa import Private_key, Public_key  # type: ignore[import-untyped]
from ecdsa.ellipticcurve import CurveFp, PointJacobi  # type: ignore[import-untyped]
from starknet_py.constants import EC_ORDER

from crossway.adapters.chains.live.keys import KeyKind, KeyMissing
from crossway.adapters.chains.starknet.felts import PRIME, name_of

# Wallets show keys without leading zeros.
_PLAIN = re.compile(r"(?:0x)?([0-9a-fA-F]{1,64})\Z", re.ASCII)
# The curve of Starknet's accounts, as its documentation publishes it.
_BETA = 0x6F21413EFBE40DE150E596D72F7A8C5609AD26C15C915C1F4CDFCB99CEE9E89
_X = 0x1EF15C18599971B7BECED415A40F0C7DEACFD9B0D1819E03D723D8BC943CFCA
_Y = 0x5668060AA49730B7BE4801DF46EC62DE53ECD11ABE43A32873000C36E8DC1F
_GENERATOR = PointJacobi(CurveFp(PRIME, 1, _BETA, 1), _X, _Y, 1, EC_ORDER, generator=True)
# Accounts refuse a signature whose numbers need more bits.
_LIMIT = 2**251
_SEED = 32


class StarkSigner:
    """Signs with a key in this process's memory. Nothing shows it: not `repr`, no error. A key
    does not determine an account's address here: `address` is the public key, in 64 hex digits."""

    __slots__ = ("_key", "address", "public")

    def __init__(self, secret: bytes) -> None:
        key = int.from_bytes(secret, "big")
        if not 0 < key < EC_ORDER:
            raise KeyMissing("it is no private key of Starknet: it must be below the curve's order")
        point = _GENERATOR * key
        self._key = Private_key(Public_key(_GENERATOR, point), key)
        self.public = int(point.x())
        self.address = name_of(self.public)

    def __repr__(self) -> str:
        return f"StarkSigner({self.address})"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a key is not written down")

    def sign(self, digest: int) -> tuple[int, int]:
        """r and s; the same for the same digest, and the same as the usual wallets' libraries say.
        The library that those use takes a hundred times as long for the arithmetic."""
        seed = _SEED
        while True:
            nonce = cpp_generate_k_rfc6979(digest, self._key.secret_multiplier, seed)
            made = self._key.sign(digest, nonce)
            if made.r < _LIMIT and pow(made.s, -1, EC_ORDER) < _LIMIT:
                return int(made.r), int(made.s)
            seed += 1


def read_key(text: str) -> bytes | None:
    """The 32 bytes of up to 64 hex digits, with or without 0x."""
    match = _PLAIN.match(text)
    return None if match is None else bytes.fromhex(match.group(1).zfill(64))


KEYS = KeyKind("a private key of Starknet: up to 64 hex digits", read_key, StarkSigner)
