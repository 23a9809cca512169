"""The setting that divides chains into shards."""

from collections.abc import Mapping
from typing import Final

from crossway.catalogue import load_catalogue

MAX_SHARDS: Final = 64


def parse_shards(text: str) -> Mapping[str, int]:
    """Into how many shards each named chain is divided, of `CHAIN=NUMBER` separated by commas.
    Raises `ValueError` with what must be otherwise."""
    entries = [entry.partition("=") for entry in text.replace(",", " ").split()]
    known = load_catalogue().chains if entries else {}
    for chain, _, number in entries:
        if chain not in known:
            raise ValueError(f"must name chains such as {min(known)}, not {chain}")
        if not number.isascii() or not number.isdigit() or not 1 <= int(number) <= MAX_SHARDS:
            raise ValueError(f"must have a number from 1 to {MAX_SHARDS} after {chain}=")
    if len({chain for chain, _, _ in entries}) < len(entries):
        raise ValueError("must name each chain once")
    return {chain: int(number) for chain, _, number in entries}
