"""ABI encoding of numbers and addresses as the 32-byte words that bridge contracts read."""

import base58

from crossway.domain.catalogue import Chain

WORD_BYTES = 32


def encode_words(*values: int | bytes) -> str:
    """Encode values as consecutive 32-byte words in hex; shorter bytes are left-padded."""
    return "0x" + b"".join(_word(value) for value in values).hex()


def address_word(chain: Chain, address: str) -> bytes:
    """An address of any chain family as the 32 bytes used in bridge messages."""
    if chain.kind == "solana":
        return _word(base58.b58decode(address))
    if chain.kind == "tron":
        # The first byte is the network prefix, the other 20 are the account as on EVM chains.
        return _word(base58.b58decode_check(address)[1:])
    return _word(int(address, 16))


def _word(value: int | bytes) -> bytes:
    if isinstance(value, int):
        return value.to_bytes(WORD_BYTES, "big")
    if len(value) > WORD_BYTES:
        raise ValueError("A word has 32 bytes")
    return value.rjust(WORD_BYTES, b"\0")
