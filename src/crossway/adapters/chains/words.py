"""Words of 32 bytes, in which contracts of every chain take and return numbers and addresses."""

import base58

from crossway.adapters.chains.addresses import SHORT_ADDRESS
from crossway.domain.catalogue import ChainKind

NATIVE = "native"
WORD = 32


def number_word(number: int) -> bytes:
    """A non-negative number as a word. Raises `OverflowError` where it does not fit."""
    return number.to_bytes(WORD, "big")


def address_word(kind: ChainKind, address: str) -> bytes:
    """An address in canonical form as a word; zero for a native coin without an address."""
    return address_bytes(kind, address).rjust(WORD, b"\0")


def address_bytes(kind: ChainKind, address: str) -> bytes:
    """An address in canonical form as contracts of its chain see it: 20 bytes on EVM chains and
    Tron, 32 elsewhere; all zero for a native coin without an address."""
    if address == NATIVE:
        return bytes(SHORT_ADDRESS if kind in ("evm", "tron") else WORD)
    if kind == "solana":
        return base58.b58decode(address).rjust(WORD, b"\0")
    if kind == "tron":
        # Without the prefix byte and the checksum.
        return base58.b58decode(address)[1 : 1 + SHORT_ADDRESS]
    return bytes.fromhex(address.removeprefix("0x"))
