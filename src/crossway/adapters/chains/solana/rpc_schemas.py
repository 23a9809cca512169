"""Strict parsing of Solana RPC responses; a malformed response counts as no response."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from crossway.adapters.chains.addresses import canonical_address
from crossway.domain.errors import Unreachable

_MAX_SECONDS = 253_402_300_799
_MAX_INT = 2**64


class Malformed(Unreachable):
    """A node's response has the wrong format."""


@dataclass(frozen=True, slots=True)
class Account:
    """An account: lamports, owning program, and the requested data."""

    lamports: int
    owner: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Block:
    """A block: slot, hash and time."""

    slot: int
    hash: str
    at: datetime


def parse_object(value: Any, what: str) -> Mapping[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise Malformed(f"the node did not return {what}")
    return value


def parse_list(value: Any, what: str) -> list[Any]:
    """A JSON array."""
    if not isinstance(value, list):
        raise Malformed(f"the node did not return {what}")
    return value


def parse_int(value: Any, what: str = "a number") -> int:
    """An unsigned integer of at most 64 bits."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MAX_INT:
        raise Malformed(f"the node did not return {what}")
    return value


def parse_str(value: Any, what: str) -> str:
    """A non-empty string."""
    if not isinstance(value, str) or not value or len(value) > 100:
        raise Malformed(f"the node did not return {what}")
    return value


def parse_address(value: Any) -> str:
    """An address in canonical form."""
    try:
        return canonical_address("solana", value)
    except (ValueError, TypeError):
        raise Malformed("the node did not return an address") from None


def parse_time(value: Any) -> datetime:
    """A Unix timestamp."""
    seconds = parse_int(value, "a time")
    if seconds > _MAX_SECONDS:
        raise Malformed("the node did not return a time")
    return datetime.fromtimestamp(seconds, UTC)


def parse_base64(value: Any) -> bytes:
    """Base64-encoded bytes."""
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise Malformed("the node did not return data") from None


def parse_context_value(value: Any, what: str) -> tuple[int, Any]:
    """The context slot of a response, and its value."""
    context = parse_object(value, what)
    return parse_int(parse_object(context.get("context"), what).get("slot"), "a slot"), context.get(
        "value"
    )


def parse_account(value: Any) -> Account | None:
    """An account with base64 data; None if it does not exist."""
    if value is None:
        return None
    encoded = parse_object(value, "an account")
    data = parse_list(encoded.get("data"), "data")
    if len(data) != 2 or data[1] != "base64":
        raise Malformed("the node returned data in another format")
    return Account(
        parse_int(encoded.get("lamports"), "lamports"),
        parse_address(encoded.get("owner")),
        parse_base64(data[0]),
    )


def parse_block(value: Any, slot: int) -> Block:
    """The block of a slot. Raises `Unreachable` if the node has none."""
    fields = parse_object(value, "a block")
    return Block(
        slot,
        parse_str(fields.get("blockhash"), "a block's hash"),
        parse_time(fields.get("blockTime")),
    )
