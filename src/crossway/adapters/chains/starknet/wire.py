"""What nodes of Starknet answer, read strictly: anything of another form is no answer at all."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from crossway.adapters.chains.live.rpc import Objection
from crossway.adapters.chains.starknet.felts import PRIME, name_of, selector, whole
from crossway.domain.errors import Unreachable

TRANSFER = selector("Transfer")
# Objections by their codes, which the specification of nodes fixes.
CONTRACT_NOT_FOUND, ENTRY_POINT_NOT_FOUND, TRANSACTION_NOT_FOUND = 20, 21, 29
PAGE_TOO_BIG, TOO_MANY_KEYS, CONTRACT_ERROR = 31, 34, 40
_FELT = re.compile(r"0x[0-9a-fA-F]{1,64}\Z", re.ASCII)
_MOST_SECONDS = 253_402_300_799
IN_A_BLOCK = ("ACCEPTED_ON_L2", "ACCEPTED_ON_L1")


class Malformed(Unreachable):
    """A node answered something that has not the form of an answer."""


@dataclass(frozen=True, slots=True)
class Block:
    """The header of a block that is accepted; prices in FRI for a unit of gas."""

    height: int
    hash: str
    at: datetime
    l2_price: int
    data_price: int


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a contract, `address` in canonical form."""

    address: str
    keys: tuple[int, ...]
    data: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """An event found by a question, and where it lies."""

    event: Event
    height: int
    block_hash: str
    tx_hash: str


@dataclass(frozen=True, slots=True)
class Transfer:
    """A movement of a token as the token tells it."""

    source: str
    to: str
    units: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a transaction that is in a block; `fee_units` in FRI."""

    tx_hash: str
    height: int
    block_hash: str
    worked: bool
    reason: str
    fee_units: int
    events: tuple[Event, ...]


def felt(value: Any, what: str = "a number") -> int:
    """A number of the field in hexadecimal digits."""
    if isinstance(value, str) and _FELT.match(value) and (found := int(value, 16)) < PRIME:
        return found
    raise Malformed(f"the node answered something else than {what}")


def hash_of(value: Any, what: str = "a hash") -> str:
    """A hash or an address in canonical form."""
    return name_of(felt(value, what))


def count(value: Any, what: str) -> int:
    """A number of 0 or more, as JSON has them."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Malformed(f"the node answered something else than {what}")
    return value


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


def felts(value: Any, what: str) -> tuple[int, ...]:
    """An array of numbers of the field."""
    return tuple(felt(one, what) for one in rows(value, what))


def u256(value: Any, what: str) -> int:
    """A number of 256 bits that a contract answered."""
    answered = felts(value, what)
    try:
        low, high = answered
        return whole(low, high)
    except ValueError:
        raise Malformed(f"the node answered something else than {what}") from None


def block(value: Any, height: int | None = None) -> Block:
    """The header of an accepted block; one of another height than was asked for is refused."""
    found = table(value, "a block")
    if found.get("status") not in IN_A_BLOCK:
        raise Malformed("the node answered a block that is not accepted")
    seconds = count(found.get("timestamp"), "a block's time")
    if seconds > _MOST_SECONDS:
        raise Malformed("the node answered a block of no time")
    read = Block(
        count(found.get("block_number"), "a block's height"),
        hash_of(found.get("block_hash"), "a block's hash"),
        datetime.fromtimestamp(seconds, UTC),
        _price(found.get("l2_gas_price")),
        _price(found.get("l1_data_gas_price")),
    )
    if height is not None and read.height != height:
        raise Malformed(f"the node answered block {read.height} for block {height}")
    return read


def _price(value: Any) -> int:
    return felt(table(value, "a gas price").get("price_in_fri"), "a gas price")


def event(value: Any) -> Event:
    """An event of a receipt or of a list of events."""
    found = table(value, "an event")
    return Event(
        hash_of(found.get("from_address"), "an event's contract"),
        felts(found.get("keys"), "an event's keys"),
        felts(found.get("data"), "an event's data"),
    )


def told(value: Any) -> Told:
    """An event with its place; one that is in no accepted block is refused."""
    found = table(value, "an event")
    return Told(
        event(found),
        count(found.get("block_number"), "an event's block"),
        hash_of(found.get("block_hash"), "an event's block"),
        hash_of(found.get("transaction_hash"), "an event's transaction"),
    )


def transfer_of(one: Event) -> Transfer | None:
    """What a token says that it moved: newer tokens name both sides in keys, older ones in data.
    None for any other event, such as that of a token that is one of a kind."""
    if not one.keys or one.keys[0] != TRANSFER:
        return None
    fields = (*one.keys[1:], *one.data)
    if (len(one.keys), len(one.data)) not in ((3, 2), (1, 4)):
        return None
    source, to, low, high = fields
    try:
        return Transfer(name_of(source), name_of(to), whole(low, high))
    except ValueError:
        return None


def is_keyed(one: Event) -> bool:
    """Whether a transfer names both sides in its keys, so that it can be asked for by them."""
    return len(one.keys) == 3


def receipt(value: Any, tx_hash: str) -> Receipt | None:
    """What became of a transaction; None while it is in no accepted block."""
    if isinstance(value, Objection):
        if value.code == TRANSACTION_NOT_FOUND:
            return None
        raise Malformed(f"the node objects: {value.message}")
    found = table(value, "a receipt")
    if hash_of(found.get("transaction_hash"), "a receipt's name") != tx_hash:
        raise Malformed("the node answered the receipt of another transaction")
    if found.get("finality_status") not in IN_A_BLOCK or found.get("block_hash") is None:
        return None
    status = found.get("execution_status")
    if status not in ("SUCCEEDED", "REVERTED"):
        raise Malformed("the node answered something else than a receipt's status")
    return Receipt(
        tx_hash,
        count(found.get("block_number"), "a receipt's block"),
        hash_of(found.get("block_hash"), "a receipt's block"),
        status == "SUCCEEDED",
        str(found.get("revert_reason") or ""),
        felt(table(found.get("actual_fee"), "a fee").get("amount"), "a fee"),
        tuple(event(one) for one in rows(found.get("events"), "events")),
    )
