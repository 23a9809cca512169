"""Deposits of the native coin, which no log tells of: found by balances that rose.

What an address ever got is what it holds and what our contracts took out of it. Where that rises
from one block to the next, money came in: by a transaction to the address, found in the block, or
from within one, told under the block's own name.
"""

from collections.abc import Mapping, Sequence
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
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.domain.deposits import Incoming

MOVED = "0x" + keccak256(b"Moved(bytes32,address,uint8,address,address,address,uint256)").hex()
# Above the place of any log in a block.
_PLAIN, _WITHIN = 1 << 29, 1 << 30
MOST_LOOKED_AT = 5_000


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
    was = _before(ground, line, now, gone, before)
    incoming: list[Incoming] = []
    for address, units in now.items():
        taken = gone.get(address, [])
        if units + sum(u for _, u in taken) > was.get(address, units):
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
) -> Mapping[str, int]:
    """What addresses held at the beginning; those that nobody knows anything of hold nothing."""
    memory = ground.memory
    goes_on = (memory.height, memory.hash) == (before.height, before.hash)
    known = memory.units if goes_on else {}
    unsure = [a for a, units in now.items() if a not in known and (units or a in gone)]
    if not unsure:
        return {a: known.get(a, 0) for a in now}
    if not ground.traits.history:
        # After a pause, what lies there may be in the books already: nothing is told twice.
        return {a: known.get(a, 0 if goes_on else units) for a, units in now.items()}
    held = read(ground, line, unsure, ground.native, hex(before.height))
    return {a: known.get(a, held.get(a, 0)) for a in now}


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
        if not self.ground.traits.history:
            return self._each(low, high, came)
        middle = (low + high) // 2
        held = read(self.ground, self.line, [self.address], self.ground.native, hex(middle))
        there = held[self.address]
        lower = self.between(low, held_low, middle, there)
        return lower + self.between(middle, there, high, held_high)

    def _each(self, low: int, high: int, came: int) -> list[Incoming]:
        """Without old balances: every block is read, and what none explains is the last one's."""
        found: list[Incoming] = []
        for height in range(low + 1, high):
            found += self._plain(height, came)[0]
        left = came - sum(one.units for one in found)
        return found + (self._in_block(high, left) if left > 0 else [])

    def _in_block(self, height: int, came: int) -> list[Incoming]:
        plain, at = self._plain(height, came)
        left = came - sum(one.units for one in plain)
        if left < 0:
            raise Malformed(f"the node's block {height} pays more than balances rose")
        if left == 0:
            return plain
        index = _WITHIN | int(self.address[-7:], 16)
        return [*plain, self._incoming(at, at.hash, index, ZERO, left)]

    def _plain(self, height: int, most: int) -> tuple[list[Incoming], Block]:
        """Transactions of a block that pay the address by themselves."""
        answer = self.line.ask(Question("eth_getBlockByNumber", (hex(height), True)))[0]
        at = block(answer, height)
        payments = []
        for one in rows(table(answer, "a block").get("transactions"), "transactions"):
            told = table(one, "a transaction")
            to, units = told.get("to"), integer(told.get("value"), "a value")
            if to and units and address_of(to) == self.address and units <= most:
                payments.append((hash_of(told.get("hash")), address_of(told.get("from")), units))
        answers = self.line.ask(
            *(Question("eth_getTransactionReceipt", (name,)) for name, _, _ in payments)
        )
        found = []
        for (name, sender, units), answer in zip(payments, answers, strict=True):
            its = receipt(answer, name)
            if its is not None and its.worked:
                found.append(self._incoming(at, name, _PLAIN, sender, units))
        return found, at

    def _incoming(self, at: Block, name: str, index: int, sender: str, units: int) -> Incoming:
        return Incoming(
            chain=self.ground.chain.id,
            tx_hash=name,
            index=index,
            block_height=at.height,
            block_hash=at.hash,
            token=self.ground.native,
            sender=sender,
            to=self.address,
            units=units,
            at=at.at,
        )


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
    if not ground.traits.history:
        # Nothing but the balance of today can be held against it.
        held = read(ground, line, [one.to], ground.native)
        return held[one.to] >= one.units
    low, high = one.block_height - 1, one.block_height
    asked = [
        Question("eth_getBalance", (one.to, hex(low))),
        Question("eth_getBalance", (one.to, hex(high))),
        events_question(_moved(ground), high, high),
    ]
    answers = line.tell(asked)
    if any(isinstance(answer, Objection) for answer in answers):
        return False
    told = [log(each) for each in rows(answers[2], "events")]
    gone = sum(units for _, units in _gone(told, [one.to]).get(one.to, []))
    before, after = (integer(answer, "a balance") for answer in answers[:2])
    return after + gone - before >= one.units
