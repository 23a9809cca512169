"""The heads of a cluster: the newest confirmed and finalized blocks, and a recent blockhash."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.solana.accounts import accounts_request
from crossway.adapters.chains.solana.chain_context import CONFIRMED, FINALIZED, ChainContext
from crossway.adapters.chains.solana.pdas import CLOCK
from crossway.adapters.chains.solana.rpc_schemas import (
    Malformed,
    parse_account,
    parse_context_value,
    parse_int,
    parse_list,
    parse_object,
    parse_str,
    parse_time,
)
from crossway.domain.errors import Unreachable
from crossway.ports.chain import ChainHead

# Two or three slots: polling many addresses takes many requests.
DEFAULT_POLL_SECONDS = 1.0
_CLOCK_SIZE, _TIME_AT = 40, 32


@dataclass(frozen=True, slots=True)
class RecentBlockhash:
    """A blockhash for signing, the last block height at which such a transaction can land, and the
    monotonic time of the request."""

    block_hash: str
    last_height: int
    asked_at: float


class HeadTracker:
    """Fetches heads at a limited rate, and remembers the highest one seen."""

    def __init__(
        self,
        context: ChainContext,
        poll_seconds: float | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._poll = DEFAULT_POLL_SECONDS if poll_seconds is None else poll_seconds
        self._ground, self._timer = context, timer
        self._lock = Lock()
        self._known: tuple[ChainHead, RecentBlockhash] | None = None

    def heads(self) -> ChainHead:
        """The newest heads, at most one poll interval old."""
        return self._fresh()[0]

    def recent(self) -> RecentBlockhash:
        """The last known blockhash, without a request. Raises `Unreachable` if it is too old."""
        latest, oldest = self._known, self._timer() - self._ground.params.hash_seconds
        if latest is None or latest[1].asked_at < oldest:
            raise Unreachable("no recent blockhash is known for signing")
        return latest[1]

    def _fresh(self) -> tuple[ChainHead, RecentBlockhash]:
        with self._lock:
            now = self._timer()
            if self._known is None or now - self._known[1].asked_at >= self._poll:
                self._known = self._ground.pool.first(lambda line: self._read(line, now))
            return self._known

    def _read(self, session: RpcSession, now: float) -> tuple[ChainHead, RecentBlockhash]:
        answers = session.call(
            RpcRequest("getLatestBlockhash", ({"commitment": CONFIRMED},)),
            accounts_request([CLOCK], 0, _CLOCK_SIZE),
            RpcRequest("getSlot", ({"commitment": FINALIZED},)),
        )
        slot, value = parse_context_value(answers[0], "the newest block")
        responses = parse_object(value, "the newest block")
        newest = parse_str(responses.get("blockhash"), "a block's hash")
        recent = RecentBlockhash(
            newest, parse_int(responses.get("lastValidBlockHeight"), "a height"), now
        )
        clock = parse_account(
            parse_list(parse_context_value(answers[1], "the clock")[1], "the clock")[0]
        )
        if clock is None or len(clock.data) < _CLOCK_SIZE:
            raise Malformed("the node does not return the clock")
        at = parse_time(int.from_bytes(clock.data[_TIME_AT:_CLOCK_SIZE], "little"))
        final = parse_int(answers[2], "a slot")
        if final > slot + self._ground.params.behind:
            raise Unreachable("the node's finalized block is above its newest")
        previous = self._known
        if previous is not None and slot < previous[0].height:
            if previous[0].height - slot > self._ground.params.behind:
                raise Unreachable(f"the node is behind: block {slot} after {previous[0].height}")
            # One of several machines behind one URL: the higher head seen before still counts.
            return previous[0], recent
        before = previous[0].finalized if previous is not None else 0
        self._ground.remember(slot, newest)
        return ChainHead(slot, newest, at, max(min(final, slot), before)), recent
