"""Where a chain stands: the newest accepted block and the final one, never further back."""

from collections.abc import Sequence
from typing import Any

from crossway.adapters.chains.live.heads import Highest
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection
from crossway.adapters.chains.starknet.ground import Ground, ask_block
from crossway.adapters.chains.starknet.wire import block
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Heads


class Summit:
    """Asks for the head at most so often, and remembers how high the chain was."""

    def __init__(self, ground: Ground, poll_seconds: float | None = None) -> None:
        self._ground, self._highest = ground, Highest(ground.chain, poll_seconds)

    def heads(self) -> Heads:
        """The newest heads, or those of a moment ago."""
        return self._highest.heads(lambda: self._ground.nodes.one(self._read))

    def _read(self, line: Line) -> Heads:
        wanted = [ask_block("latest")]
        if self._ground.traits.l1:
            wanted.append(ask_block("l1_accepted"))
        answers = line.tell(wanted)
        if isinstance(answers[0], Objection):
            raise Unreachable(f"the node objects: {answers[0].message}")
        newest = block(answers[0])
        final = self._highest.finalized(newest.height, _final(answers[1:]))
        self._ground.remember(newest)
        return Heads(newest.height, newest.hash, newest.at, final)


def _final(told: Sequence[Any]) -> int | None:
    """The height that the chain below has accepted; 0 where that is none yet."""
    if not told or told[0] is None:
        return None
    return 0 if isinstance(told[0], Objection) else block(told[0]).height
