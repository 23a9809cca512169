"""The newest and the final block of a chain: cached for a moment, and never moving backwards."""

import time
from abc import ABC, abstractmethod
from threading import Lock
from typing import Generic

from crossway.adapters.chains.rpc.chain_context import ContextT
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.domain.errors import Unreachable
from crossway.ports.chain import ChainHead

MIN_POLL_SECONDS, MAX_POLL_SECONDS = 0.5, 3.0
# Share of the block time for which a head is cached.
_POLL_SHARE = 0.5


class HeadTracker(ABC, Generic[ContextT]):
    """Caches the head; safe to share between threads, of which one reads at a time."""

    def __init__(self, context: ContextT, poll_seconds: float | None = None) -> None:
        """A head is cached for `poll_seconds`, or for half a block time where that is None."""
        chain = context.chain
        default = min(
            max(chain.block_time_seconds * _POLL_SHARE, MIN_POLL_SECONDS), MAX_POLL_SECONDS
        )
        self._poll = default if poll_seconds is None else poll_seconds
        self._context, self._depth = context, chain.confirmations.finalized
        self._lock = Lock()
        self._cached: tuple[float, ChainHead] | None = None

    def heads(self) -> ChainHead:
        """The current head, or the cached one."""
        with self._lock:
            now = time.monotonic()
            if self._cached is None or now - self._cached[0] >= self._poll:
                self._cached = (now, self._context.pool.first(self._read))
            return self._cached[1]

    @abstractmethod
    def _read(self, session: RpcSession) -> ChainHead:
        """The head that a node reports."""

    def _finalized(self, newest: int, reported: int | None) -> int:
        """The final height: as `reported`, or by the chain's confirmation depth where that is None.
        Raises `Unreachable` where the node is behind or contradicts itself."""
        cached = None if self._cached is None else self._cached[1]
        if cached is not None and newest < cached.height:
            raise Unreachable(f"the node is behind: block {newest} after {cached.height}")
        final = newest - self._depth if reported is None else reported
        if final > newest:
            raise Unreachable("the node's final block is above its newest")
        return max(final, cached.finalized if cached is not None else 0, 0)
