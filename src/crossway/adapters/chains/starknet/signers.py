"""Signing on Starknet with a private key on its curve, in this process's memory."""

import re

from crypto_cpp_py.utils import cpp_generate_k_rfc6979  # type: ignore[import-untyped]
from ecdsa.ecdsa import Private_key, Public_key  # type: ignore[import-untyped]
from ecdsa.ellipticcurve import CurveFp, PointJacobi  # type: ignore[import-untyped]
from starknet_py.constants import EC_ORDER

from crossway.adapters.chains.rpc.keys import KeyHolder, KeyKind, KeyMissing
from crossway.adapters.chains.starknet.felts import PRIME, to_hex

# Wallets show keys without leading zeros.
_HEX_KEY = re.compile(r"(?:0x)?([0-9a-fA-F]{1,64})\Z", re.ASCII)
# The Stark curve, as Starknet's documentation publishes it.
_BETA = 0x6F21413EFBE40DE150E596D72F7A8C5609AD26C15C915C1F4CDFCB99CEE9E89
_X = 0x1EF15C18599971B7BECED415A40F0C7DEACFD9B0D1819E03D723D8BC943CFCA
_Y = 0x5668060AA49730B7BE4801DF46EC62DE53ECD11ABE43A32873000C36E8DC1F
_GENERATOR = PointJacobi(CurveFp(PRIME, 1, _BETA, 1), _X, _Y, 1, EC_ORDER, generator=True)
# Accounts reject signatures with larger numbers.
_SIGNATURE_LIMIT = 2**251
_FIRST_SEED = 32


class StarkSigner(KeyHolder):
    """Signs with a private key in memory. On Starknet a key does not determine an account's
    address: `address` is the public key in 64 hex digits."""

    __slots__ = ("_key", "public")

    def __init__(self, secret: bytes) -> None:
        key = int.from_bytes(secret, "big")
        if not 0 < key < EC_ORDER:
            raise KeyMissing("it is no private key of Starknet: it must be below the curve's order")
        point = _GENERATOR * key
        self._key = Private_key(Public_key(_GENERATOR, point), key)
        self.public = int(point.x())
        super().__init__(to_hex(self.public))

    def sign(self, digest: int) -> tuple[int, int]:
        """r and s, deterministic and equal to those of starknet-py, which takes a tenth of a second
        for them: two hundred times as long, and inside a database transaction."""
        seed = _FIRST_SEED
        while True:
            nonce = cpp_generate_k_rfc6979(digest, self._key.secret_multiplier, seed)
            signature = self._key.sign(digest, nonce)
            inverse = pow(signature.s, -1, EC_ORDER)
            if signature.r < _SIGNATURE_LIMIT and inverse < _SIGNATURE_LIMIT:
                return int(signature.r), int(signature.s)
            seed += 1


def parse_key(text: str) -> bytes | None:
    """The 32 bytes of up to 64 hex digits, with or without 0x."""
    match = _HEX_KEY.match(text)
    return None if match is None else bytes.fromhex(match.group(1).zfill(64))


KEYS = KeyKind("a private key of Starknet: up to 64 hex digits", parse_key, StarkSigner)
