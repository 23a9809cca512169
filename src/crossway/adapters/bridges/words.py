"""ABI words: numbers and addresses as the 32-byte words that bridge contracts read."""

import base58

from crossway.domain.catalogue import Chain

WORD_BYTES = 32


def words(*values: int | bytes) -> str:
    """The values as consecutive 32-byte words in hex; shorter bytes are padded on the left."""
    return "0x" + b"".join(_word(value) for value in values).hex()


def address_word(chain: Chain, address: str) -> bytes:
    """An address as the 32 bytes by which bridge messages name it on every kind of chain."""
    if chain.kind == "solana":
        return _word(base58.b58decode(address))
    if chain.kind == "tron":
        # The first byte is the network, the other 20 are the account as on EVM chains.
        return _word(base58.b58decode_check(address)[1:])
    return _word(int(address, 16))


def _word(value: int | bytes) -> bytes:
    if isinstance(value, int):
        return value.to_bytes(WORD_BYTES, "big")
    if len(value) > WORD_BYTES:
        raise ValueError("A word has 32 bytes")
    return value.rjust(WORD_BYTES, b"\0")
