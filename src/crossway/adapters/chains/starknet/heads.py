"""Where a chain stands: the newest accepted block and the final one, never further back."""

import time
from collections.abc import Callable
from threading import Lock

from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection
from crossway.adapters.chains.starknet.ground import Ground, ask_block
from crossway.adapters.chains.starknet.wire import Block, block
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Heads

SHORTEST_POLL_SECONDS, LONGEST_POLL_SECONDS = 0.5, 3.0
# Of a block's time: how long an answer stands before the node is asked again.
_PART_OF_A_BLOCK = 0.5


class Summit:
    """Asks for the head at most so often, and remembers how high the chain was."""

    def __init__(
        self,
        ground: Ground,
        poll_seconds: float | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        usual = ground.chain.block_time_seconds * _PART_OF_A_BLOCK
        usual = min(max(usual, SHORTEST_POLL_SECONDS), LONGEST_POLL_SECONDS)
        self._poll = usual if poll_seconds is None else poll_seconds
        self._ground, self._timer = ground, timer
        self._lock = Lock()
        self._asked_at: float | None = None
        self._known: Heads | None = None
        self.newest: Block | None = None

    def heads(self) -> Heads:
        """The newest heads, or those of a moment ago."""
        with self._lock:
            now = self._timer()
            fresh = self._asked_at is not None and now - self._asked_at < self._poll
            if self._known is None or not fresh:
                self._known = self._ground.nodes.one(self._read)
                self._asked_at = now
            return self._known

    def _read(self, line: Line) -> Heads:
        wanted = [ask_block("latest")]
        if self._ground.traits.l1:
            wanted.append(ask_block("l1_accepted"))
        answers = line.tell(wanted)
        if isinstance(answers[0], Objection):
            raise Unreachable(f"the node objects: {answers[0].message}")
        newest = block(answers[0])
        if self._known is not None and newest.height < self._known.height:
            raise Unreachable(
                f"the node is behind: block {newest.height} after {self._known.height}"
            )
        final = self._final(newest, answers[1] if len(answers) > 1 else None)
        self.newest = newest
        self._ground.remember(newest)
        return Heads(newest.height, newest.hash, newest.at, final)

    def _final(self, newest: Block, told: object) -> int:
        before = self._known.finalized if self._known else 0
        if isinstance(told, Objection):
            # Nothing is accepted on the chain below yet.
            return before
        if told is None:
            final = newest.height - self._ground.chain.confirmations.finalized
        else:
            final = block(told).height
        if final > newest.height:
            raise Unreachable("the node's final block is above its newest")
        return max(final, before, 0)
