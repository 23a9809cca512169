"""Deposits of tokens that cannot be asked for by receiver, over many blocks: where balances rose.

What an address ever got of a token is what it holds and what our factory took out of it. Where that
rises from one block to the next, money came in, and that block's events of the token tell how.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.starknet import balances
from crossway.adapters.chains.starknet.events import Wanted, fetched, of_token
from crossway.adapters.chains.starknet.ground import Ground
from crossway.adapters.chains.starknet.outcomes import MOVED, moved_of
from crossway.adapters.chains.starknet.wire import Told

Gone = Mapping[tuple[str, str], Sequence[tuple[int, int]]]


def found(
    ground: Ground, line: Line, addresses: Sequence[str], tokens: Sequence[str], low: int, high: int
) -> list[Told]:
    """The tokens' events of the blocks after one height up to another in which an address got
    something; of a block all events of the token, once."""
    if not tokens or not addresses or high <= low:
        return []
    gone = _gone(ground, line, low + 1, high)
    blocks: set[tuple[str, int]] = set()
    for token in tokens:
        was = balances.read(ground, line, addresses, token, low)
        now = balances.read(ground, line, addresses, token, high)
        for address in addresses:
            one = _Rise(ground, line, token, address, gone.get((token, address), ()))
            blocks |= {(token, at) for at in one.between(low, was[address], high, now[address])}
    return fetched(line, ground.limits, [of_token(at, at, token) for token, at in sorted(blocks)])


def _gone(ground: Ground, line: Line, first: int, last: int) -> Gone:
    """Block and units of what our factory took out, by token and address."""
    taken: dict[tuple[str, str], list[tuple[int, int]]] = {}
    step = ground.traits.blocks
    wanted = [
        Wanted(at, min(at + step - 1, last), ((MOVED,),), ground.at.factory)
        for at in range(first, last + 1, step)
    ]
    for one in fetched(line, ground.limits, wanted):
        moved = moved_of(one.event)
        taken.setdefault((moved.token, moved.source), []).append((one.height, moved.units))
    return taken


@dataclass
class _Rise:
    """Looks for the blocks in which one address got a token; `taken` are block and units."""

    ground: Ground
    line: Line
    token: str
    address: str
    taken: Sequence[tuple[int, int]]

    def between(self, low: int, held_low: int, high: int, held_high: int) -> list[int]:
        """The blocks after one height, where so much was held, up to another."""
        gone = sum(units for height, units in self.taken if low < height <= high)
        if held_high + gone <= held_low:
            return []
        if high - low == 1:
            return [high]
        middle = (low + high) // 2
        told = balances.read(self.ground, self.line, [self.address], self.token, middle)
        there = told[self.address]
        lower = self.between(low, held_low, middle, there)
        return lower + self.between(middle, there, high, held_high)
