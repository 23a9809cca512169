"""Where a chain stands: the newest block and the final one, never further back than before."""

from crossway.adapters.chains.evm.ground import Ground, ask_block
from crossway.adapters.chains.evm.wire import Block, block
from crossway.adapters.chains.live.heads import Highest
from crossway.adapters.chains.live.nodes import Line
from crossway.ports.chain import Heads


class Summit:
    """Asks for the head at most so often, and remembers how high the chain was."""

    def __init__(self, ground: Ground, poll_seconds: float | None = None) -> None:
        self._ground, self._highest = ground, Highest(ground.chain, poll_seconds)
        self.newest: Block | None = None
        self.final: Block | None = None

    def heads(self) -> Heads:
        """The newest heads, or those of a moment ago."""
        return self._highest.heads(lambda: self._ground.nodes.one(self._read))

    def _read(self, line: Line) -> Heads:
        wanted = [ask_block("latest")]
        if self._ground.traits.tags:
            wanted.append(ask_block("finalized"))
        answers = line.ask(*wanted)
        newest = block(answers[0])
        told = block(answers[1]) if len(answers) > 1 and answers[1] is not None else None
        final = self._highest.finalized(newest.height, None if told is None else told.height)
        self.newest, self.final = newest, told or self.final
        self._ground.remember(newest)
        return Heads(newest.height, newest.hash, newest.at, final)
