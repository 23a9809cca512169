"""Where a cluster stands: the newest confirmed block and the final one; what may be signed on."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Question
from crossway.adapters.chains.solana.accounts import ask_accounts
from crossway.adapters.chains.solana.ground import CONFIRMED, FINALIZED, Ground
from crossway.adapters.chains.solana.places import CLOCK
from crossway.adapters.chains.solana.wire import (
    Malformed,
    account,
    in_context,
    number,
    rows,
    table,
    text,
    time_of,
)
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Heads

# Two or three slots: each look at many addresses is many questions.
USUAL_POLL_SECONDS = 1.0
_CLOCK_SIZE, _TIME_AT = 40, 32


@dataclass(frozen=True, slots=True)
class Recent:
    """A block to sign on: its hash, the last height at which what is signed on it can land, and
    when it was asked for, by the machine's timer."""

    block_hash: str
    last_height: int
    asked_at: float


class Summit:
    """Asks for the head at most so often, and remembers how high the cluster was."""

    def __init__(
        self,
        ground: Ground,
        poll_seconds: float | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._poll = USUAL_POLL_SECONDS if poll_seconds is None else poll_seconds
        self._ground, self._timer = ground, timer
        self._lock = Lock()
        self._known: tuple[Heads, Recent] | None = None

    def heads(self) -> Heads:
        """The newest heads, or those of a moment ago."""
        return self._fresh()[0]

    def recent(self) -> Recent:
        """The block that was told last, asking nobody: to sign on. Raises `Unreachable` where it
        would be too old."""
        known, oldest = self._known, self._timer() - self._ground.traits.hash_seconds
        if known is None or known[1].asked_at < oldest:
            raise Unreachable("no recent block is known to sign on")
        return known[1]

    def _fresh(self) -> tuple[Heads, Recent]:
        with self._lock:
            now = self._timer()
            if self._known is None or now - self._known[1].asked_at >= self._poll:
                self._known = self._ground.nodes.one(lambda line: self._read(line, now))
            return self._known

    def _read(self, line: Line, now: float) -> tuple[Heads, Recent]:
        answers = line.ask(
            Question("getLatestBlockhash", ({"commitment": CONFIRMED},)),
            ask_accounts([CLOCK], 0, _CLOCK_SIZE),
            Question("getSlot", ({"commitment": FINALIZED},)),
        )
        slot, value = in_context(answers[0], "the newest block")
        told = table(value, "the newest block")
        newest = text(told.get("blockhash"), "a block's hash")
        recent = Recent(newest, number(told.get("lastValidBlockHeight"), "a height"), now)
        clock = account(rows(in_context(answers[1], "the clock")[1], "the clock")[0])
        if clock is None or len(clock.data) < _CLOCK_SIZE:
            raise Malformed("the node does not show the clock")
        at = time_of(int.from_bytes(clock.data[_TIME_AT:_CLOCK_SIZE], "little"))
        final = number(answers[2], "a slot")
        if final > slot + self._ground.traits.behind:
            raise Unreachable("the node's final block is above its newest")
        known = self._known
        if known is not None and slot < known[0].height:
            if known[0].height - slot > self._ground.traits.behind:
                raise Unreachable(f"the node is behind: block {slot} after {known[0].height}")
            # One of several nodes behind an address: what was seen before still holds.
            return known[0], recent
        before = known[0].finalized if known is not None else 0
        self._ground.remember(slot, newest)
        return Heads(slot, newest, at, max(min(final, slot), before)), recent
