"""Addresses and names at the border between Tron's forms and those that its JSON-RPC speaks."""

from functools import lru_cache

import base58

from crossway.adapters.chains.addresses import TRON_PREFIX, canonical

_KEPT = 65_536


@lru_cache(maxsize=_KEPT)
def plain(address: str) -> str:
    """A base58check address as JSON-RPC and contracts know it: 20 bytes, in EIP-55 form."""
    return canonical("evm", "0x" + base58.b58decode(address)[1:21].hex())


@lru_cache(maxsize=_KEPT)
def named(address: str) -> str:
    """A plain address as everybody on Tron writes it."""
    return base58.b58encode_check(TRON_PREFIX + bytes.fromhex(address[2:])).decode()


def long(address: str) -> bytes:
    """A plain address as transactions hold it: 21 bytes."""
    return TRON_PREFIX + bytes.fromhex(address[2:])


def bare(name: str) -> str:
    """The name of a transaction as Tron writes it: without 0x."""
    return name.removeprefix("0x")


def prefixed(name: str) -> str:
    """The name of a transaction as JSON-RPC wants it."""
    return "0x" + name.removeprefix("0x")
