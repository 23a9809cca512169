"""Converting addresses and transaction ids between Tron's formats and those of its JSON-RPC."""

from functools import lru_cache

import base58

from crossway.adapters.chains.addresses import TRON_PREFIX, canonical_address

_CACHE_SIZE = 65_536


@lru_cache(maxsize=_CACHE_SIZE)
def to_evm_address(address: str) -> str:
    """A base58check address as JSON-RPC and contracts use it: 20 bytes in EIP-55 form."""
    return canonical_address("evm", "0x" + base58.b58decode(address)[1:21].hex())


@lru_cache(maxsize=_CACHE_SIZE)
def to_base58(address: str) -> str:
    """An address in EVM form as a base58check address."""
    return base58.b58encode_check(TRON_PREFIX + bytes.fromhex(address[2:])).decode()


def to_bytes(address: str) -> bytes:
    """An address in EVM form as transactions hold it: 21 bytes."""
    return TRON_PREFIX + bytes.fromhex(address[2:])


def strip_0x(tx_id: str) -> str:
    """A transaction id as Tron writes it: without 0x."""
    return tx_id.removeprefix("0x")


def add_0x(tx_id: str) -> str:
    """A transaction id as JSON-RPC writes it."""
    return "0x" + tx_id.removeprefix("0x")
