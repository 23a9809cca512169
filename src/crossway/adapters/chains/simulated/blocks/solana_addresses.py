"""Addresses that programs of a simulated Solana derive, as Solana derives them, without its
libraries: the simulated network needs none of those of live chains."""

import tomllib
from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

import base58

TOKEN: Final = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
TOKEN_2022: Final = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
ASSOCIATED_TOKEN: Final = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
_MARKER: Final = b"ProgramDerivedAddress"
# The curve of Ed25519: -x² + y² = 1 + dx²y² modulo a prime.
_PRIME: Final = 2**255 - 19
_D: Final = -121665 * pow(121666, -1, _PRIME) % _PRIME


def is_on_curve(raw: bytes) -> bool:
    """Whether 32 bytes are a public key: no program can have derived such an address."""
    y = int.from_bytes(raw, "little") % 2**255
    numerator, denominator = y * y - 1, _D * y * y + 1
    # x² is the quotient, which is a square exactly if the product is one (Euler's criterion).
    return pow(numerator * denominator, (_PRIME - 1) // 2, _PRIME) != _PRIME - 1


@lru_cache(maxsize=1 << 16)
def derive_program_address(program: str, *seeds: bytes) -> str:
    """The program-derived address of these seeds, at its canonical bump."""
    for bump in range(255, -1, -1):
        parts = (*seeds, bytes([bump]), base58.b58decode(program), _MARKER)
        digest = sha256(b"".join(parts)).digest()
        if not is_on_curve(digest):
            return base58.b58encode(digest).decode()
    raise ValueError("no bump leads off the curve")


def associated_token_account(chain: str, wallet: str, mint: str) -> str:
    """The account of a wallet's balance of a mint of a chain."""
    program = TOKEN_2022 if mint in _token_2022_mints(chain) else TOKEN
    seeds = (base58.b58decode(address) for address in (wallet, program, mint))
    return derive_program_address(ASSOCIATED_TOKEN, *seeds)


@cache
def _token_2022_mints(chain: str) -> frozenset[str]:
    params = files("crossway.adapters.chains.solana").joinpath("chain_params.toml").read_text()
    return frozenset(tomllib.loads(params).get(chain, {}).get("token_2022", ()))
