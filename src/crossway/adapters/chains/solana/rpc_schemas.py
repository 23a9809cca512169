"""Strict parsing of JSON-RPC results of Solana nodes: a malformed result counts as no result."""

import base64
import binascii
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from solders.pubkey import Pubkey

from crossway.adapters.chains.rpc.rpc_schemas import (
    MalformedResponse,
    as_count,
    as_list,
    as_object,
    block_time,
)

_MAX_INT = 2**64


@dataclass(frozen=True, slots=True)
class Account:
    """An account: lamports, owning program, and the requested data."""

    lamports: int
    owner: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Block:
    """A block; `height` is its slot."""

    height: int
    hash: str
    time: datetime


def as_u64(value: Any, what: str = "a number") -> int:
    """An unsigned integer of at most 64 bits."""
    if as_count(value, what) >= _MAX_INT:
        raise MalformedResponse(f"the node did not return {what}")
    return int(value)


def as_text(value: Any, what: str) -> str:
    """A non-empty string."""
    if not isinstance(value, str) or not value or len(value) > 100:
        raise MalformedResponse(f"the node did not return {what}")
    return value


def parse_address(value: Any) -> str:
    """An address in canonical form."""
    try:
        return str(Pubkey.from_string(value))
    except (ValueError, TypeError):
        raise MalformedResponse("the node did not return an address") from None


def parse_time(value: Any) -> datetime:
    """A Unix timestamp."""
    return block_time(as_u64(value, "a time"))


def parse_base64(value: Any) -> bytes:
    """Base64-encoded bytes."""
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise MalformedResponse("the node did not return data") from None


def parse_context_value(value: Any, what: str) -> tuple[int, Any]:
    """The context slot of a response, and its value."""
    response = as_object(value, what)
    slot = as_object(response.get("context"), what).get("slot")
    return as_u64(slot, "a slot"), response.get("value")


def parse_account(value: Any) -> Account | None:
    """An account with base64 data; None if it does not exist."""
    if value is None:
        return None
    encoded = as_object(value, "an account")
    data = as_list(encoded.get("data"), "data")
    if len(data) != 2 or data[1] != "base64":
        raise MalformedResponse("the node returned data in another format")
    return Account(
        as_u64(encoded.get("lamports"), "lamports"),
        parse_address(encoded.get("owner")),
        parse_base64(data[0]),
    )


def parse_block(value: Any, slot: int) -> Block:
    """The block of a slot. Raises `Unreachable` if the node has none."""
    fields = as_object(value, "a block")
    return Block(
        slot,
        as_text(fields.get("blockhash"), "a block's hash"),
        parse_time(fields.get("blockTime")),
    )
