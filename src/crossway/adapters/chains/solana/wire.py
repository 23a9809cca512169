"""What Solana's nodes answer, read strictly: anything of another form is no answer at all."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from crossway.adapters.chains.addresses import canonical
from crossway.domain.errors import Unreachable

_MOST_SECONDS = 253_402_300_799
_MOST = 2**64


class Malformed(Unreachable):
    """A node answered something that has not the form of an answer."""


@dataclass(frozen=True, slots=True)
class Account:
    """An account as it stands: lamports, the program that owns it, and the data asked for."""

    lamports: int
    owner: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Block:
    """A block's slot, hash and time."""

    slot: int
    hash: str
    at: datetime


def table(value: Any, what: str) -> Mapping[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise Malformed(f"the node answered something else than {what}")
    return value


def rows(value: Any, what: str) -> list[Any]:
    """A JSON array."""
    if not isinstance(value, list):
        raise Malformed(f"the node answered something else than {what}")
    return value


def number(value: Any, what: str = "a number") -> int:
    """A number of 0 or more, of at most 64 bits."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MOST:
        raise Malformed(f"the node answered something else than {what}")
    return value


def text(value: Any, what: str) -> str:
    """Some letters."""
    if not isinstance(value, str) or not value or len(value) > 100:
        raise Malformed(f"the node answered something else than {what}")
    return value


def address_of(value: Any) -> str:
    """An address in canonical form."""
    try:
        return canonical("solana", value)
    except (ValueError, TypeError):
        raise Malformed("the node answered something else than an address") from None


def time_of(value: Any) -> datetime:
    """Seconds since 1970 as a time."""
    seconds = number(value, "a time")
    if seconds > _MOST_SECONDS:
        raise Malformed("the node answered something else than a time")
    return datetime.fromtimestamp(seconds, UTC)


def decoded(value: Any) -> bytes:
    """Bytes in base64."""
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise Malformed("the node answered something else than data") from None


def in_context(value: Any, what: str) -> tuple[int, Any]:
    """The slot for which an answer holds, and the answer."""
    told = table(value, what)
    return number(table(told.get("context"), what).get("slot"), "a slot"), told.get("value")


def account(value: Any) -> Account | None:
    """An account with its data in base64; None where there is none."""
    if value is None:
        return None
    told = table(value, "an account")
    data = rows(told.get("data"), "data")
    if len(data) != 2 or data[1] != "base64":
        raise Malformed("the node answered data of another form")
    return Account(
        number(told.get("lamports"), "lamports"), address_of(told.get("owner")), decoded(data[0])
    )


def block(value: Any, slot: int) -> Block:
    """The header of the block of a slot. Raises `Unreachable` where the node has none."""
    told = table(value, "a block")
    return Block(
        slot, text(told.get("blockhash"), "a block's hash"), time_of(told.get("blockTime"))
    )
