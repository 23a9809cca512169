"""What nodes answer, read strictly: anything of another form is no answer at all."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from crossway.adapters.chains.addresses import canonical
from crossway.domain.errors import Unreachable

TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
_QUANTITY = re.compile(r"0x[0-9a-fA-F]{1,64}\Z", re.ASCII)
_HASH = re.compile(r"0x[0-9a-fA-F]{64}\Z", re.ASCII)
_DATA = re.compile(r"0x(?:[0-9a-fA-F]{2})*\Z", re.ASCII)
_MOST_SECONDS = 253_402_300_799


class Malformed(Unreachable):
    """A node answered something that has not the form of an answer."""


@dataclass(frozen=True, slots=True)
class Block:
    """The header of a block, as far as it matters here."""

    height: int
    hash: str
    parent: str
    at: datetime
    base_fee: int


@dataclass(frozen=True, slots=True)
class Log:
    """One event of a contract, `address` in canonical form."""

    address: str
    topics: tuple[str, ...]
    data: bytes
    height: int
    block_hash: str
    tx_hash: str
    index: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a transaction that is in a block; `fee_units` is all that it cost."""

    tx_hash: str
    height: int
    block_hash: str
    worked: bool
    sender: str
    to: str
    fee_units: int
    logs: tuple[Log, ...]


def integer(value: Any, what: str = "a number") -> int:
    """A quantity in hexadecimal digits."""
    if not isinstance(value, str) or not _QUANTITY.match(value):
        raise Malformed(f"the node answered something else than {what}")
    return int(value, 16)


def hash_of(value: Any, what: str = "a hash") -> str:
    """32 bytes in hexadecimal digits."""
    if not isinstance(value, str) or not _HASH.match(value):
        raise Malformed(f"the node answered something else than {what}")
    return value.lower()


def data_of(value: Any, what: str = "data") -> bytes:
    """Bytes in hexadecimal digits."""
    if not isinstance(value, str) or not _DATA.match(value):
        raise Malformed(f"the node answered something else than {what}")
    return bytes.fromhex(value[2:])


def address_of(value: Any) -> str:
    """An address in canonical form."""
    try:
        return canonical("evm", value.lower())
    except (ValueError, AttributeError, TypeError):
        raise Malformed("the node answered something else than an address") from None


def topic_address(topic: str) -> str:
    """The address that a topic of an event holds."""
    return address_of("0x" + topic[-40:])


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


def block(value: Any, height: int | None = None) -> Block:
    """A block's header; one of another height than was asked for is refused."""
    found = table(value, "a block")
    seconds = integer(found.get("timestamp"), "a block's time")
    if seconds > _MOST_SECONDS:
        raise Malformed("the node answered a block of no time")
    read = Block(
        integer(found.get("number"), "a block's height"),
        hash_of(found.get("hash"), "a block's hash"),
        hash_of(found.get("parentHash"), "a block's parent"),
        datetime.fromtimestamp(seconds, UTC),
        integer(found.get("baseFeePerGas") or "0x0", "a base fee"),
    )
    if height is not None and read.height != height:
        raise Malformed(f"the node answered block {read.height} for block {height}")
    return read


def log(value: Any) -> Log:
    """An event that stands; one that was removed is refused."""
    found = table(value, "an event")
    if found.get("removed"):
        raise Malformed("the node answered an event that was removed")
    topics = tuple(hash_of(t, "a topic") for t in rows(found.get("topics"), "topics"))
    return Log(
        address_of(found.get("address")),
        topics,
        data_of(found.get("data"), "an event's data"),
        integer(found.get("blockNumber"), "an event's block"),
        hash_of(found.get("blockHash"), "an event's block"),
        hash_of(found.get("transactionHash"), "an event's transaction"),
        integer(found.get("logIndex"), "an event's place"),
    )


def receipt(value: Any, tx_hash: str) -> Receipt | None:
    """What became of a transaction; None while it is in no block."""
    if value is None:
        return None
    found = table(value, "a receipt")
    height = integer(found.get("blockNumber"), "a receipt's block")
    block_hash = hash_of(found.get("blockHash"), "a receipt's block")
    if hash_of(found.get("transactionHash"), "a receipt's name") != tx_hash.lower():
        raise Malformed("the node answered the receipt of another transaction")
    logs = tuple(log(one) for one in rows(found.get("logs"), "events"))
    if any((one.height, one.block_hash) != (height, block_hash) for one in logs):
        raise Malformed("the node's receipt contradicts itself")
    gas = integer(found.get("gasUsed"), "gas") * integer(
        found.get("effectiveGasPrice") or "0x0", "a gas price"
    )
    return Receipt(
        tx_hash.lower(),
        height,
        block_hash,
        integer(found.get("status"), "a receipt's status") == 1,
        address_of(found.get("from")),
        address_of(found["to"]) if found.get("to") else "",
        # Chains over another one charge what they pay there on top.
        gas + integer(found.get("l1Fee") or "0x0", "a fee"),
        logs,
    )
