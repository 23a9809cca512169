"""The running numbers of our transactions: the next one, and which transaction has which.

Nothing on Tron counts an account's transactions, so each of ours carries a number behind what its
contract reads. Blocks are read forward from one that is final; what is older is found by our
contracts' events, which name who called.
"""

from collections.abc import Iterator
from threading import Lock

from crossway.adapters.chains.evm.ground import Ground
from crossway.adapters.chains.evm.logs import events, topic
from crossway.adapters.chains.evm.native import MOVED
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.tron.blocks import Blocks
from crossway.adapters.chains.tron.forms import bare
from crossway.adapters.chains.tron.outcomes import transaction
from crossway.ports.chain import Heads

# Read whole at the beginning; with more blocks since the last look, it is a beginning again.
NEWEST_BLOCKS, MOST_FORWARD = 40, 1_200
DAY_BLOCKS, WEEK_BLOCKS = 28_800, 201_600
_ENOUGH = 20


class Numbers:
    """What is known of the numbers of one account; a new process learns it again."""

    def __init__(self, ground: Ground, blocks: Blocks) -> None:
        self._ground, self._blocks = ground, blocks
        self._lock = Lock()
        self._final, self._highest = -1, -1

    def next(self, line: Line, head: Heads) -> int:
        """One more than the highest number that a mined transaction carries."""
        with self._lock:
            if self._final < 0 or head.height - self._final > MOST_FORWARD:
                low = max(head.height - NEWEST_BLOCKS, 0)
                self._highest = self._told_highest(line, low)
                self._final = min(low, head.finalized)
            pages = self._blocks.read(line, self._final, head.height, head.block_hash)
            newest = self._highest
            for page in pages:
                mine = [one.number for one in page.ours if one.number is not None]
                newest = max([newest, *mine])
                if page.height <= head.finalized:
                    self._highest, self._final = newest, page.height
            return newest + 1

    def _told_highest(self, line: Line, last: int) -> int:
        """The highest number of a day as events tell; the books know of what is older."""
        for names in self._told(line, last, DAY_BLOCKS):
            numbers = self._numbers(line, names[-_ENOUGH:])
            if numbers:
                return max(numbers.values())
        return -1

    def since(self, line: Line, head: Heads, from_number: int) -> dict[str, int]:
        """Numbers by transaction, of those that carry at least this one."""
        low = max(head.height - NEWEST_BLOCKS, 0)
        pages = self._blocks.read(line, low, head.height, head.block_hash)
        found = {
            one.tx_id: one.number
            for page in pages
            for one in page.ours
            if one.number is not None and one.number >= from_number
        }
        if from_number not in found.values():
            for names in self._told(line, low, WEEK_BLOCKS):
                numbers = self._numbers(line, names)
                found |= {name: n for name, n in numbers.items() if n >= from_number}
                if any(n <= from_number for n in numbers.values()):
                    break
        return found

    def _told(self, line: Line, last: int, blocks: int) -> Iterator[list[str]]:
        """Transactions that our contracts say our account sent, stretch by stretch downwards."""
        at, limits = self._ground.at, self._ground.limits
        wanted = {
            "address": [at.factory, at.escrow, at.filler],
            "topics": [MOVED, None, topic(self._ground.own.relayer)],
        }
        lowest = max(last - blocks, 0)
        while last > lowest:
            first = max(last - limits.blocks + 1, lowest)
            told = events(line, limits, wanted, first, last)
            if told:
                yield list(dict.fromkeys(bare(one.tx_hash) for one in told))
            last = first - 1

    def _numbers(self, line: Line, names: list[str]) -> dict[str, int]:
        found = {}
        for name in names:
            one = transaction(line, name)
            if one is not None and one.number is not None:
                found[name] = one.number
        return found
