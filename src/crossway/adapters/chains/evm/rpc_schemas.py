"""Strict parsing of JSON-RPC results of EVM nodes: a malformed result counts as no result."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.rpc.rpc_schemas import (
    MalformedResponse,
    as_list,
    as_object,
    block_time,
)

TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
_QUANTITY = re.compile(r"0x[0-9a-fA-F]{1,64}\Z", re.ASCII)
_HASH = re.compile(r"0x[0-9a-fA-F]{64}\Z", re.ASCII)
_DATA = re.compile(r"0x(?:[0-9a-fA-F]{2})*\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Block:
    """A block header; `base_fee` in wei."""

    height: int
    hash: str
    parent: str
    time: datetime
    base_fee: int


@dataclass(frozen=True, slots=True)
class Log:
    """One log of a contract; `address` in canonical form."""

    address: str
    topics: tuple[str, ...]
    data: bytes
    height: int
    block_hash: str
    tx_hash: str
    index: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """The receipt of an included transaction; `fee_units` is its whole cost in base units."""

    tx_hash: str
    height: int
    block_hash: str
    succeeded: bool
    sender: str
    to: str
    fee_units: int
    logs: tuple[Log, ...]


def parse_quantity(value: Any, what: str = "a number") -> int:
    """A number in hexadecimal digits."""
    if not isinstance(value, str) or not _QUANTITY.match(value):
        raise MalformedResponse(f"the node did not return {what}")
    return int(value, 16)


def parse_hash(value: Any, what: str = "a hash") -> str:
    """32 bytes in hexadecimal digits."""
    if not isinstance(value, str) or not _HASH.match(value):
        raise MalformedResponse(f"the node did not return {what}")
    return value.lower()


def parse_data(value: Any, what: str = "data") -> bytes:
    """Bytes in hexadecimal digits."""
    if not isinstance(value, str) or not _DATA.match(value):
        raise MalformedResponse(f"the node did not return {what}")
    return bytes.fromhex(value[2:])


def parse_address(value: Any) -> str:
    """An address in canonical form."""
    try:
        return canonical_address("evm", value.lower())
    except (ValueError, AttributeError, TypeError):
        raise MalformedResponse("the node did not return an address") from None


def topic_address(topic: str) -> str:
    """The address in a topic of a log."""
    return parse_address("0x" + topic[-40:])


def parse_block(value: Any, height: int | None = None) -> Block:
    """A block header. Raises `MalformedResponse` where its height is not the requested one."""
    header = as_object(value, "a block")
    seconds = parse_quantity(header.get("timestamp"), "a block's time")
    block = Block(
        parse_quantity(header.get("number"), "a block's height"),
        parse_hash(header.get("hash"), "a block's hash"),
        parse_hash(header.get("parentHash"), "a block's parent"),
        block_time(seconds),
        parse_quantity(header.get("baseFeePerGas") or "0x0", "a base fee"),
    )
    if height is not None and block.height != height:
        raise MalformedResponse(f"the node returned block {block.height} for block {height}")
    return block


def parse_log(value: Any) -> Log:
    """A log that is on the chain. Raises `MalformedResponse` for a removed one."""
    fields = as_object(value, "a log")
    if fields.get("removed"):
        raise MalformedResponse("the node returned a removed log")
    topics = tuple(parse_hash(t, "a topic") for t in as_list(fields.get("topics"), "topics"))
    return Log(
        parse_address(fields.get("address")),
        topics,
        parse_data(fields.get("data"), "a log's data"),
        parse_quantity(fields.get("blockNumber"), "a log's block"),
        parse_hash(fields.get("blockHash"), "a log's block"),
        parse_hash(fields.get("transactionHash"), "a log's transaction"),
        parse_quantity(fields.get("logIndex"), "a log's index"),
    )


def parse_receipt(value: Any, tx_hash: str) -> Receipt | None:
    """The receipt of a transaction; None while it is not included."""
    if value is None:
        return None
    fields = as_object(value, "a receipt")
    height = parse_quantity(fields.get("blockNumber"), "a receipt's block")
    block_hash = parse_hash(fields.get("blockHash"), "a receipt's block")
    if parse_hash(fields.get("transactionHash"), "a receipt's transaction") != tx_hash.lower():
        raise MalformedResponse("the node returned the receipt of another transaction")
    logs = tuple(parse_log(log) for log in as_list(fields.get("logs"), "logs"))
    if any((log.height, log.block_hash) != (height, block_hash) for log in logs):
        raise MalformedResponse("the node's receipt contradicts itself")
    gas_cost = parse_quantity(fields.get("gasUsed"), "gas") * parse_quantity(
        fields.get("effectiveGasPrice") or "0x0", "a gas price"
    )
    return Receipt(
        tx_hash.lower(),
        height,
        block_hash,
        parse_quantity(fields.get("status"), "a receipt's status") == 1,
        parse_address(fields.get("from")),
        parse_address(fields["to"]) if fields.get("to") else "",
        # Rollups charge their L1 costs separately.
        gas_cost + parse_quantity(fields.get("l1Fee") or "0x0", "a fee"),
        logs,
    )
