"""Deposits of the native coin, which no log tells of: found by balances that rose.

What an address ever got is what it holds and what our contracts took out of it. Where that rises
from one block to the next, money came in: by a transaction to the address, found in the block, or
from within one, told under the block's own name.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.balances import lens_answers, lens_questions, read
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.ground import Ground, Memory
from crossway.adapters.chains.evm.logs import events, events_question
from crossway.adapters.chains.evm.wire import (
    Block,
    Log,
    Malformed,
    Receipt,
    address_of,
    block,
    hash_of,
    integer,
    log,
    receipt,
    rows,
    table,
)
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection, Question, Silent
from crossway.domain.deposits import Incoming

MOVED = "0x" + keccak256(b"Moved(bytes32,address,uint8,address,address,address,uint256)").hex()
# Above the place of any log in a block.
_PLAIN, _WITHIN = 1 << 29, 1 << 30
MOST_LOOKED_AT = 5_000
# After a pause on a node without old balances, so many of the newest blocks are read whole.
MOST_READ, _AT_ONCE = 1_000, 20
# What nodes say of balances that they do not keep any more, in their many words.
_NOT_KEPT = re.compile(
    r"missing trie node|prun|archive|histor|state\b.*\b(not|un)\s?available|old data|no state",
    re.IGNORECASE,
)


def is_made_up(one: Incoming) -> bool:
    """Whether it came from within a transaction, and its name is that of its block."""
    return one.index >= _WITHIN


def is_native(ground: Ground, one: Incoming) -> bool:
    """Whether this is the native coin."""
    return one.token == ground.native


def next_found(
    ground: Ground, line: Line, addresses: Sequence[str], before: Block, end: Block
) -> list[Incoming]:
    """As `found`, of all that are watched: the next look goes on from here."""
    incoming, now = _looked(ground, line, addresses, before, end)
    if now:
        ground.memory = Memory(end.height, end.hash, now)
    return incoming


def found(
    ground: Ground, line: Line, addresses: Sequence[str], before: Block, end: Block
) -> list[Incoming]:
    """What came in after one block up to another."""
    return _looked(ground, line, addresses, before, end)[0]


def _looked(
    ground: Ground, line: Line, addresses: Sequence[str], before: Block, end: Block
) -> tuple[list[Incoming], dict[str, int]]:
    if not ground.native or not addresses or end.height <= before.height:
        return [], {}
    looked_at = list(addresses[-MOST_LOOKED_AT:])
    wanted = lens_questions(ground, looked_at, ground.native, hex(end.height))
    first = before.height + 1
    *balances, moved = line.tell([*wanted, events_question(_moved(ground), first, end.height)])
    if any(isinstance(one, Objection) for one in balances):
        now = dict(read(ground, line, looked_at, ground.native, hex(end.height)))
    else:
        now = lens_answers(ground, looked_at, balances)
    if isinstance(moved, Objection):
        gone = _gone(events(line, ground.limits, _moved(ground), first, end.height), looked_at)
    else:
        gone = _gone([log(one) for one in rows(moved, "events")], looked_at)
    was, unknown = _before(ground, line, now, gone, before)
    incoming = _plain_of(ground, line, unknown, before.height, end.height)
    for address, units in now.items():
        taken = gone.get(address, [])
        if address not in unknown and units + sum(u for _, u in taken) > was.get(address, units):
            rises = _Rises(ground, line, address, taken)
            incoming += rises.between(before.height, was[address], end.height, units)
    return incoming, now


def _moved(ground: Ground) -> dict[str, Any]:
    return {"address": ground.at.factory, "topics": [MOVED]}


def _gone(told: Sequence[Log], mine: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
    """Block and units of what our contracts took out of each address."""
    gone: dict[str, list[tuple[int, int]]] = {}
    looked_for = set(mine)
    for one in told:
        token, source, _, units = moved_of(one)
        if token == ZERO and source in looked_for:
            gone.setdefault(source, []).append((one.height, units))
    return gone


def moved_of(one: Log) -> tuple[str, str, str, int]:
    """Token, source, receiver and units of a movement that our contracts tell of."""
    if len(one.data) != 128:
        raise Malformed("the node answered a movement of another form")
    words = [one.data[at : at + 32] for at in range(0, 128, 32)]
    token, source, to = (address_of("0x" + word[-20:].hex()) for word in words[:3])
    return token, source, to, int.from_bytes(words[3], "big")


def _before(
    ground: Ground,
    line: Line,
    now: Mapping[str, int],
    gone: Mapping[str, object],
    before: Block,
) -> tuple[Mapping[str, int], list[str]]:
    """What addresses held at the beginning; those that nobody knows anything of hold nothing. And
    those of which nobody can say so any more: what lies there may be in the books already."""
    memory = ground.memory
    goes_on = (memory.height, memory.hash) == (before.height, before.hash)
    known = memory.units if goes_on else {}
    unsure = [a for a, units in now.items() if a not in known and (units or a in gone)]
    held = _held_at(ground, line, unsure, before.height)
    if held is None and goes_on:
        held = {}
    if held is None:
        return {a: known.get(a, units) for a, units in now.items()}, unsure
    return {a: known.get(a, held.get(a, 0)) for a in now}, []


def _held_at(
    ground: Ground, line: Line, addresses: Sequence[str], height: int
) -> Mapping[str, int] | None:
    """What addresses held at an older block; None where the node does not keep that."""
    if not addresses:
        return {}
    if not ground.traits.history:
        return None
    asked = Question("eth_getBalance", (addresses[0], hex(height)))
    answer = line.tell([asked])[0]
    if isinstance(answer, Objection):
        if _NOT_KEPT.search(answer.message):
            return None
        raise Silent(f"the node objects: {answer.message}")
    return read(ground, line, addresses, ground.native, hex(height))


def _plain_of(
    ground: Ground, line: Line, addresses: Sequence[str], low: int, high: int
) -> list[Incoming]:
    """Transactions after one height up to another that pay these addresses by themselves. Their
    names tell them apart, so that none is told twice."""
    found: list[Incoming] = []
    wanted = set(addresses)
    heights = range(max(low, high - MOST_READ) + 1, high + 1) if wanted else range(0)
    for start in range(0, len(heights), _AT_ONCE):
        part = heights[start : start + _AT_ONCE]
        asked = [Question("eth_getBlockByNumber", (hex(height), True)) for height in part]
        for height, answer in zip(part, line.ask(*asked), strict=True):
            at = block(answer, height)
            payments = [one for one in _payments(answer) if one.to in wanted]
            found += _worked(ground, line, at, payments)
    return found


@dataclass(frozen=True, slots=True)
class _Payment:
    name: str
    sender: str
    to: str
    units: int


def _payments(answer: Any) -> Iterator[_Payment]:
    """The transactions of a block that pay something by themselves."""
    for one in rows(table(answer, "a block").get("transactions"), "transactions"):
        told = table(one, "a transaction")
        to, units = told.get("to"), integer(told.get("value"), "a value")
        if to and units:
            sender = address_of(told.get("from"))
            yield _Payment(hash_of(told.get("hash")), sender, address_of(to), units)


def _worked(ground: Ground, line: Line, at: Block, payments: Sequence[_Payment]) -> list[Incoming]:
    """Those of the payments that did not revert."""
    asked = [Question("eth_getTransactionReceipt", (one.name,)) for one in payments]
    found = []
    for one, answer in zip(payments, line.ask(*asked), strict=True):
        its = receipt(answer, one.name)
        if its is not None and its.worked:
            found.append(_incoming(ground, at, one, _PLAIN))
    return found


def _incoming(ground: Ground, at: Block, one: _Payment, index: int) -> Incoming:
    return Incoming(
        chain=ground.chain.id,
        tx_hash=one.name,
        index=index,
        block_height=at.height,
        block_hash=at.hash,
        token=ground.native,
        sender=one.sender,
        to=one.to,
        units=one.units,
        at=at.at,
    )


@dataclass
class _Rises:
    """Looks for the blocks in which one address got something; `taken` are block and units."""

    ground: Ground
    line: Line
    address: str
    taken: Sequence[tuple[int, int]]

    def between(self, low: int, held_low: int, high: int, held_high: int) -> list[Incoming]:
        """What came in after one height, where so much was held, up to another."""
        gone = sum(units for height, units in self.taken if low < height <= high)
        came = held_high + gone - held_low
        if came <= 0:
            return []
        if high - low == 1:
            return self._in_block(high, came)
        middle = (low + high) // 2
        held = _held_at(self.ground, self.line, [self.address], middle)
        if held is None:
            return self._each(low, high, came)
        there = held[self.address]
        lower = self.between(low, held_low, middle, there)
        return lower + self.between(middle, there, high, held_high)

    def _each(self, low: int, high: int, came: int) -> list[Incoming]:
        """Without old balances: every block is read, and what none explains is the last one's."""
        found = _plain_of(self.ground, self.line, [self.address], low, high - 1)
        left = came - sum(one.units for one in found)
        return found + (self._in_block(high, left) if left > 0 else [])

    def _in_block(self, height: int, came: int) -> list[Incoming]:
        answer = self.line.ask(Question("eth_getBlockByNumber", (hex(height), True)))[0]
        at = block(answer, height)
        mine = [p for p in _payments(answer) if p.to == self.address and p.units <= came]
        plain = _worked(self.ground, self.line, at, mine)
        left = came - sum(one.units for one in plain)
        if left < 0:
            raise Malformed(f"the node's block {height} pays more than balances rose")
        if left == 0:
            return plain
        within = _Payment(at.hash, ZERO, self.address, left)
        index = _WITHIN | int(self.address[-7:], 16)
        return [*plain, _incoming(self.ground, at, within, index)]


def stands(ground: Ground, line: Line, one: Incoming, its: Receipt | None) -> bool:
    """Whether a payment in a block that stands was really made."""
    if is_made_up(one):
        return _rose(ground, line, one)
    if its is None or its.block_hash != one.block_hash or not its.worked:
        return False
    answer = line.ask(Question("eth_getTransactionByHash", (one.tx_hash,)))[0]
    if answer is None:
        return False
    told = table(answer, "a transaction")
    return its.to == one.to and integer(told.get("value"), "a value") == one.units


def _rose(ground: Ground, line: Line, one: Incoming) -> bool:
    low, high = one.block_height - 1, one.block_height
    before = _held_at(ground, line, [one.to], low)
    if before is None:
        # Nothing but the balance of today can be held against it.
        held = read(ground, line, [one.to], ground.native)
        return held[one.to] >= one.units
    asked = Question("eth_getBalance", (one.to, hex(high)))
    after, moved = line.ask(asked, events_question(_moved(ground), high, high))
    told = [log(each) for each in rows(moved, "events")]
    gone = sum(units for _, units in _gone(told, [one.to]).get(one.to, []))
    return integer(after, "a balance") + gone - before[one.to] >= one.units
