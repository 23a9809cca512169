"""Addresses of each chain family: their canonical form, and addresses derived from a digest."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

import base58
from Crypto.Hash import keccak

EVM_FORM = re.compile(r"0x[0-9a-fA-F]{40}\Z", re.ASCII)
STARKNET_FORM = re.compile(r"0x[0-9a-fA-F]{1,64}\Z", re.ASCII)
# The library ignores white space, so the alphabet is checked here.
BASE58_FORM = re.compile(r"[1-9A-HJ-NP-Za-km-z]{1,44}\Z", re.ASCII)
# Contract addresses are hashes modulo this; no contract has a greater one.
STARKNET_LIMIT = 2**251 - 256
STARKNET_DIGITS = 64
TRON_PREFIX = b"\x41"
# Bytes of an address on EVM chains and Tron.
SHORT_ADDRESS = 20


def canonical_address(kind: str, text: str) -> str:
    """The canonical form of an address, in which addresses are stored and compared.

    EIP-55 on EVM chains, base58 on Solana, base58check on Tron, 0x and 64 hex digits on Starknet.
    Raises `ValueError` that says what is wrong.
    """
    if kind not in CANONICAL:
        raise _unknown_family(kind)
    return CANONICAL[kind](text)


def address_from_digest(kind: str, digest: bytes) -> str:
    """A well-formed address derived from 32 bytes, in canonical form."""
    if len(digest) != 32:
        raise ValueError(f"expected a digest of 32 bytes, not {len(digest)}")
    match kind:
        case "evm":
            return _eip55(digest[-SHORT_ADDRESS:].hex())
        case "solana":
            return base58.b58encode(digest).decode()
        case "starknet":
            # By 2**251, so that addresses stay those of stored records.
            return _starknet(hex(int.from_bytes(digest, "big") % 2**251))
        case "tron":
            return base58.b58encode_check(TRON_PREFIX + digest[-SHORT_ADDRESS:]).decode()
        case _:
            raise _unknown_family(kind)


def keccak256(data: bytes) -> bytes:
    """Keccak-256 as Ethereum uses it, which differs from SHA3-256."""
    return keccak.new(data=data, digest_bits=256).digest()


def _unknown_family(kind: str) -> ValueError:
    families = ", ".join(CANONICAL)
    return ValueError(f"{kind!r} is not a family of chains: expected one of {families}")


def _evm(text: str) -> str:
    if not EVM_FORM.match(text):
        raise ValueError("is not an EVM address: expected 0x and 40 hex digits")
    digits = text[2:]
    checksummed = _eip55(digits.lower())
    if digits not in (digits.lower(), digits.upper()) and text != checksummed:
        raise ValueError(
            "has a wrong EIP-55 checksum: expected the wallet's spelling, or lower case"
        )
    return checksummed


# The same recipients and tokens recur often.
@lru_cache(maxsize=16_384)
def _eip55(lower_digits: str) -> str:
    """The address with its EIP-55 checksum."""
    nibbles = keccak256(lower_digits.encode()).hex()
    checksummed = [
        digit.upper() if nibble > "7" else digit
        for digit, nibble in zip(lower_digits, nibbles, strict=False)
    ]
    return "0x" + "".join(checksummed)


def _solana(text: str) -> str:
    if not BASE58_FORM.match(text) or len(raw := base58.b58decode(text)) != 32:
        raise ValueError("is not a Solana address: expected base58 of 32 bytes")
    return base58.b58encode(raw).decode()


def _tron(text: str) -> str:
    if not BASE58_FORM.match(text) or len(raw := base58.b58decode(text)) != 25:
        raise ValueError("is not a Tron address: expected T and 33 more base58 characters")
    if raw[:1] != TRON_PREFIX:
        raise ValueError("is not a Tron address: it must start with T")
    if base58.b58encode_check(raw[:-4]).decode() != text:
        raise ValueError("has a wrong base58check checksum")
    return text


def _starknet(text: str) -> str:
    if not STARKNET_FORM.match(text):
        raise ValueError("is not a Starknet address: expected 0x and up to 64 hex digits")
    felt = int(text, 16)
    if not 0 < felt < STARKNET_LIMIT:
        raise ValueError(
            "is not a Starknet address: expected more than 0 and less than 2**251 - 256"
        )
    canonical = f"0x{felt:064x}"
    digits = text[2:]
    if digits not in (digits.lower(), digits.upper()):
        padded = digits.zfill(STARKNET_DIGITS)
        if padded != _starknet_checksummed(felt):
            raise ValueError("has a wrong checksum: expected the wallet's spelling, or lower case")
    return canonical


def _starknet_checksummed(felt: int) -> str:
    """The 64 digits in the mixed case of starknet.js: the keccak of the number, not of its text as
    in EIP-55, without its six highest bits, says which letters are capitals."""
    digest = int.from_bytes(keccak256(felt.to_bytes((felt.bit_length() + 7) // 8, "big")), "big")
    bits = digest & (2**250 - 1)
    return "".join(
        digit.upper() if bits >> (255 - 4 * place) & 1 else digit
        for place, digit in enumerate(f"{felt:064x}")
    )


CANONICAL: Final[Mapping[str, Callable[[str], str]]] = {
    "evm": _evm,
    "solana": _solana,
    "starknet": _starknet,
    "tron": _tron,
}
