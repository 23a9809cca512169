"""Where a chain stands: asked for at most so often, and never further back than before."""

import time
from collections.abc import Callable
from threading import Lock

from crossway.domain.catalogue import Chain
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Heads

SHORTEST_POLL_SECONDS, LONGEST_POLL_SECONDS = 0.5, 3.0
# Of a block's time: how long an answer stands before the node is asked again.
_PART_OF_A_BLOCK = 0.5


class Highest:
    """The heads that were told last; safe to share between threads, of which one asks at a time."""

    def __init__(self, chain: Chain, poll_seconds: float | None) -> None:
        """An answer stands `poll_seconds`, or a part of the chain's pace where that is None."""
        usual = chain.block_time_seconds * _PART_OF_A_BLOCK
        usual = min(max(usual, SHORTEST_POLL_SECONDS), LONGEST_POLL_SECONDS)
        self._poll = usual if poll_seconds is None else poll_seconds
        self._depth, self._lock = chain.confirmations.finalized, Lock()
        self._known: tuple[float, Heads] | None = None

    def heads(self, ask: Callable[[], Heads]) -> Heads:
        """What `ask` answers, or answered a moment ago."""
        with self._lock:
            now = time.monotonic()
            if self._known is None or now - self._known[0] >= self._poll:
                self._known = (now, ask())
            return self._known[1]

    def finalized(self, newest: int, told: int | None) -> int:
        """The final height beside a newest one: as `told`, or by the chain's depth where that is
        None. Raises `Unreachable` where the chain was higher, or is lower than its final block."""
        known = None if self._known is None else self._known[1]
        if known is not None and newest < known.height:
            raise Unreachable(f"the node is behind: block {newest} after {known.height}")
        final = newest - self._depth if told is None else told
        if final > newest:
            raise Unreachable("the node's final block is above its newest")
        return max(final, known.finalized if known is not None else 0, 0)
