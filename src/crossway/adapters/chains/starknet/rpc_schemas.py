"""Strict parsing of JSON-RPC results of Starknet nodes: a malformed result counts as no result."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from crossway.adapters.chains.rpc.client import RpcError
from crossway.adapters.chains.rpc.rpc_schemas import (
    MalformedResponse,
    as_count,
    as_list,
    as_object,
    block_time,
)
from crossway.adapters.chains.starknet.felts import PRIME, join_u256, selector, to_hex

TRANSFER = selector("Transfer")
# Error codes of the Starknet JSON-RPC specification.
CONTRACT_NOT_FOUND, ENTRY_POINT_NOT_FOUND, TRANSACTION_NOT_FOUND = 20, 21, 29
PAGE_TOO_BIG, TOO_MANY_KEYS, CONTRACT_ERROR = 31, 34, 40
_FELT = re.compile(r"0x[0-9a-fA-F]{1,64}\Z", re.ASCII)
ACCEPTED_STATUSES = ("ACCEPTED_ON_L2", "ACCEPTED_ON_L1")


@dataclass(frozen=True, slots=True)
class Block:
    """The header of an accepted block; gas prices in FRI."""

    height: int
    hash: str
    time: datetime
    l2_price: int
    data_price: int


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a contract; `address` in canonical form."""

    address: str
    keys: tuple[int, ...]
    data: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LocatedEvent:
    """An event with its block and transaction."""

    event: Event
    height: int
    block_hash: str
    tx_hash: str


@dataclass(frozen=True, slots=True)
class Transfer:
    """A token transfer; `amount` in base units."""

    source: str
    to: str
    amount: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """The receipt of an included transaction; `fee_units` in FRI."""

    tx_hash: str
    height: int
    block_hash: str
    succeeded: bool
    revert_reason: str
    fee_units: int
    events: tuple[Event, ...]


def parse_felt(value: Any, what: str = "a number") -> int:
    """A felt in hexadecimal digits."""
    if isinstance(value, str) and _FELT.match(value) and (felt := int(value, 16)) < PRIME:
        return felt
    raise MalformedResponse(f"the node did not return {what}")


def parse_hash(value: Any, what: str = "a hash") -> str:
    """A hash or an address in canonical form."""
    return to_hex(parse_felt(value, what))


def parse_felts(value: Any, what: str) -> tuple[int, ...]:
    """An array of felts."""
    return tuple(parse_felt(item, what) for item in as_list(value, what))


def parse_u256(value: Any, what: str) -> int:
    """A 256-bit number that a contract returned."""
    felts = parse_felts(value, what)
    try:
        low, high = felts
        return join_u256(low, high)
    except ValueError:
        raise MalformedResponse(f"the node did not return {what}") from None


def parse_block(value: Any, height: int | None = None) -> Block:
    """The header of an accepted block. Raises `MalformedResponse` where its height is not the
    requested one."""
    header = as_object(value, "a block")
    if header.get("status") not in ACCEPTED_STATUSES:
        raise MalformedResponse("the node returned a block that is not accepted")
    block = Block(
        as_count(header.get("block_number"), "a block's height"),
        parse_hash(header.get("block_hash"), "a block's hash"),
        block_time(as_count(header.get("timestamp"), "a block's time")),
        _parse_price(header.get("l2_gas_price")),
        _parse_price(header.get("l1_data_gas_price")),
    )
    if height is not None and block.height != height:
        raise MalformedResponse(f"the node returned block {block.height} for block {height}")
    return block


def _parse_price(value: Any) -> int:
    return parse_felt(as_object(value, "a gas price").get("price_in_fri"), "a gas price")


def parse_event(value: Any) -> Event:
    """An event of a receipt or of an event query."""
    fields = as_object(value, "an event")
    return Event(
        parse_hash(fields.get("from_address"), "an event's contract"),
        parse_felts(fields.get("keys"), "an event's keys"),
        parse_felts(fields.get("data"), "an event's data"),
    )


def parse_located_event(value: Any) -> LocatedEvent:
    """An event of a query. Raises `MalformedResponse` where it is in no accepted block."""
    fields = as_object(value, "an event")
    return LocatedEvent(
        parse_event(fields),
        as_count(fields.get("block_number"), "an event's block"),
        parse_hash(fields.get("block_hash"), "an event's block"),
        parse_hash(fields.get("transaction_hash"), "an event's transaction"),
    )


def parse_transfer(event: Event) -> Transfer | None:
    """The transfer that a token's event reports: newer tokens have both parties in keys, older ones
    in data. None for any other event, such as that of a non-fungible token."""
    if not event.keys or event.keys[0] != TRANSFER:
        return None
    fields = (*event.keys[1:], *event.data)
    if (len(event.keys), len(event.data)) not in ((3, 2), (1, 4)):
        return None
    source, to, low, high = fields
    try:
        return Transfer(to_hex(source), to_hex(to), join_u256(low, high))
    except ValueError:
        return None


def has_indexed_parties(event: Event) -> bool:
    """Whether a transfer has both parties in its keys, so that queries can filter by them."""
    return len(event.keys) == 3


def parse_receipt(value: Any, tx_hash: str) -> Receipt | None:
    """The receipt of a transaction; None while it is in no accepted block."""
    if isinstance(value, RpcError):
        if value.code == TRANSACTION_NOT_FOUND:
            return None
        raise MalformedResponse(f"the node returned an error: {value.message}")
    fields = as_object(value, "a receipt")
    if parse_hash(fields.get("transaction_hash"), "a receipt's transaction") != tx_hash:
        raise MalformedResponse("the node returned the receipt of another transaction")
    accepted = fields.get("finality_status") in ACCEPTED_STATUSES
    if not accepted or fields.get("block_hash") is None:
        return None
    status = fields.get("execution_status")
    if status not in ("SUCCEEDED", "REVERTED"):
        raise MalformedResponse("the node did not return a receipt's status")
    return Receipt(
        tx_hash,
        as_count(fields.get("block_number"), "a receipt's block"),
        parse_hash(fields.get("block_hash"), "a receipt's block"),
        status == "SUCCEEDED",
        str(fields.get("revert_reason") or ""),
        parse_felt(as_object(fields.get("actual_fee"), "a fee").get("amount"), "a fee"),
        tuple(parse_event(event) for event in as_list(fields.get("events"), "events")),
    )
