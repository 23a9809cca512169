"""The newest and the final block of a chain, as the nodes of the quorum support them."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Generic, TypeVar

from crossway.adapters.chains.rpc.chain_context import ContextT
from crossway.adapters.chains.rpc.head_agreement import (
    HeadReport,
    agreed_head,
    describe_doubts,
    is_disputed,
    tolerated_blocks,
)
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.profile import DEFAULT_CLOCK_SECONDS, ChainProfile
from crossway.domain.errors import Unreachable
from crossway.ports.chain import ChainHead

MIN_POLL_SECONDS, MAX_POLL_SECONDS = 0.5, 3.0
MAX_BUDGETED_SECONDS = 600.0
"""However small the budget: the next head is read after this long."""

LOWER_HEAD_SECONDS = 30.0
"""A head below the last one is a node that is behind. After this long it is the chain's."""
# So long the last head counts where some nodes answer, but too few.
_MISSING_NODE_SECONDS = 10.0
# Share of the block time for which a head is cached.
_POLL_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class HeadPolicy:
    """How heads are read: cached for `poll_seconds` (None: half a block time), and not believed
    where their time is more than `clock_seconds` ahead of this machine's clock."""

    poll_seconds: float | None = None
    clock_seconds: float = DEFAULT_CLOCK_SECONDS

    @classmethod
    def of(cls, profile: ChainProfile) -> "HeadPolicy":
        """The policy of a chain of a profile."""
        return cls(profile.poll_seconds, profile.clock_seconds)


ReportT = TypeVar("ReportT", bound=HeadReport)


class HeadTracker(ABC, Generic[ContextT, ReportT]):
    """Caches the head; safe to share between threads, of which one reads at a time.

    The head is the highest that as many nodes have reached as the quorum requires. Where nodes are
    far apart, or one is ahead of this machine's clock, all nodes are asked, and two must agree.
    """

    def __init__(
        self,
        context: ContextT,
        policy: HeadPolicy,
        monotonic_seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        chain = context.chain
        default = min(
            max(chain.block_time_seconds * _POLL_SHARE, MIN_POLL_SECONDS), MAX_POLL_SECONDS
        )
        self._poll = default if policy.poll_seconds is None else policy.poll_seconds
        self._max_ahead = timedelta(seconds=policy.clock_seconds)
        self._context, self._depth = context, chain.confirmations.finalized
        self._tolerance = tolerated_blocks(chain.block_time_seconds)
        self._lock, self._monotonic = Lock(), monotonic_seconds
        self._cached: tuple[float, ChainHead] | None = None
        self._calls_before: Sequence[int] = ()
        self._agreed_at = 0.0
        self._is_scanned = False

    def heads(self) -> ChainHead:
        """The current head, or the cached one. Raises `Unreachable` where too few nodes agree."""
        with self._lock:
            now = self._monotonic()
            if self._cached is None or now - self._cached[0] >= self._seconds_between():
                # What follows a new head (scans, transactions) counts until the next one.
                self._calls_before = self._context.pool.calls_by_node()
                self._cached = (now, self._read_supported(now))
                self._is_scanned = False
            return self._cached[1]

    def begin_scan(self) -> bool:
        """Whether to scan now: for the first time since the head was read, or where the budget of
        calls has room for more already."""
        with self._lock:
            is_first, self._is_scanned = not self._is_scanned, True
            if is_first or self._cached is None:
                return True
            spread = self._context.pool.seconds_worth(self._calls_before)
            return self._monotonic() - self._cached[0] >= spread

    def forget(self) -> None:
        """Read the head anew at the next call."""
        with self._lock:
            self._cached = None

    def require_current(self, session: RpcSession) -> None:
        """Raises `Unreachable` where the node is behind the last head, so that what it tells of the
        present is the past."""
        with self._lock:
            last = None if self._cached is None else self._cached[1]
        if last is not None:
            self._read_current(session, last)

    @property
    def poll_seconds(self) -> float:
        """How long a head is cached where the budget of calls allows it."""
        return self._poll

    def _seconds_between(self) -> float:
        """How long a head is cached: longer where the calls since then used up a node's budget."""
        budgeted = self._context.pool.seconds_worth(self._calls_before)
        return min(max(self._poll, budgeted), MAX_BUDGETED_SECONDS)

    def _read_supported(self, now: float) -> ChainHead:
        latest_time = datetime.now(UTC) + self._max_ahead
        quorum = self._context.pool.quorum_size

        def suffices(reports: Sequence[ReportT]) -> bool:
            heads = [report.head for report in reports]
            return len(heads) >= quorum and not is_disputed(heads, latest_time, self._tolerance)

        previous = self._previous(now)
        reports, errors = self._context.pool.gather(
            lambda session: self._read_current(session, previous), suffices
        )
        heads = [report.head for report in reports]
        agreeing = quorum
        if is_disputed(heads, latest_time, self._tolerance):
            agreeing = max(quorum, 2)
        if len(heads) < agreeing:
            doubts = describe_doubts(reports, None, latest_time, self._tolerance)
            if previous is not None and heads and not doubts and self._is_recent(now):
                # One of several nodes pauses for a moment: that is no outage of the chain.
                return previous
            message = "; ".join([*doubts, *errors]) or "no node is available"
            raise self._context.pool.unreachable(message)
        head = agreed_head(reports, agreeing, latest_time, self._tolerance)
        head = replace(head, wrong_chains=self._context.pool.wrong_chains())
        self._accept(reports, head)
        self._agreed_at = now
        if previous is not None and head.height < previous.height:
            # Some nodes of the quorum are behind: what it has reached before still counts.
            finalized = max(previous.finalized, head.finalized)
            return replace(
                previous, finalized=finalized, doubts=head.doubts, wrong_chains=head.wrong_chains
            )
        return head

    def _previous(self, now: float) -> ChainHead | None:
        """The last head, unless no node has confirmed it for so long that it may be false."""
        if self._cached is None or now - self._agreed_at > self._poll + LOWER_HEAD_SECONDS:
            return None
        return self._cached[1]

    def _is_recent(self, now: float) -> bool:
        """Whether a quorum agreed on the last head a few seconds ago."""
        return now - self._agreed_at <= self._poll + _MISSING_NODE_SECONDS

    def _read_current(self, session: RpcSession, previous: ChainHead | None) -> ReportT:
        """What a node reports. Raises `Unreachable` where it is behind the last head."""
        report = self._read(session)
        lag = 0 if previous is None else previous.height - report.head.height
        if previous is not None and lag > self._tolerated_lag:
            raise Unreachable(
                f"{report.node} is behind: block {report.head.height} after {previous.height}"
            )
        return report

    @property
    def _tolerated_lag(self) -> int:
        """Blocks by which a node may be behind the last head and still be part of a quorum."""
        return self._tolerance if self._context.pool.quorum_size > 1 else 0

    @abstractmethod
    def _read(self, session: RpcSession) -> ReportT:
        """The head that a node reports."""

    def _accept(self, reports: Sequence[ReportT], head: ChainHead) -> None:
        """Keep what goes with a head that the quorum supports."""

    def _finalized(self, newest: int, reported: int | None) -> int:
        """The final height: as `reported`, or by the chain's confirmation depth where that is None.
        Raises `Unreachable` where the node contradicts itself."""
        final = newest - self._depth if reported is None else reported
        if final > newest:
            raise Unreachable("the node's final block is above its newest")
        return max(final, 0)
