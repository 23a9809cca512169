"""The heads of a cluster: the newest confirmed and finalized blocks, and a recent blockhash."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.head_agreement import HeadReport
from crossway.adapters.chains.rpc.head_tracker import HeadPolicy, HeadTracker
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse, as_list, as_object
from crossway.adapters.chains.solana.accounts import accounts_request
from crossway.adapters.chains.solana.chain_context import CONFIRMED, FINALIZED, ChainContext
from crossway.adapters.chains.solana.pdas import CLOCK
from crossway.adapters.chains.solana.rpc_schemas import (
    Block,
    as_text,
    as_u64,
    parse_account,
    parse_context_value,
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
    requested_at: float


@dataclass(frozen=True, slots=True)
class SolanaHeadReport(HeadReport):
    """What a node reports with its head: a blockhash for signing."""

    recent: RecentBlockhash


class SolanaHeadTracker(HeadTracker[ChainContext, SolanaHeadReport]):
    """Reads the newest confirmed and finalized slots, and keeps the blockhash for signing."""

    def __init__(self, context: ChainContext, policy: HeadPolicy) -> None:
        if policy.poll_seconds is None:
            policy = replace(policy, poll_seconds=DEFAULT_POLL_SECONDS)
        super().__init__(context, policy)
        self._recent: RecentBlockhash | None = None

    def recent(self) -> RecentBlockhash:
        """The last known blockhash, without a request. Raises `Unreachable` where it is too old."""
        recent, oldest = self._recent, time.monotonic() - self._context.params.hash_seconds
        if recent is None or recent.requested_at < oldest:
            raise Unreachable("no recent blockhash is known for signing")
        return recent

    @property
    def _tolerated_lag(self) -> int:
        # Many machines share a URL, and some are behind the others.
        return int(self._context.params.behind)

    def _read(self, session: RpcSession) -> SolanaHeadReport:
        requested_at, tolerance = time.monotonic(), self._context.params.behind
        newest, clock, final_slot = session.call(
            RpcRequest("getLatestBlockhash", ({"commitment": CONFIRMED},)),
            accounts_request([CLOCK], 0, _CLOCK_SIZE),
            RpcRequest("getSlot", ({"commitment": FINALIZED},)),
        )
        slot, value = parse_context_value(newest, "the newest block")
        fields = as_object(value, "the newest block")
        block_hash = as_text(fields.get("blockhash"), "a block's hash")
        last_height = as_u64(fields.get("lastValidBlockHeight"), "a height")
        clock_time = _parse_clock(clock)
        final = as_u64(final_slot, "a slot")
        if final > slot + tolerance:
            raise Unreachable("the node's finalized block is above its newest")
        head = ChainHead(slot, block_hash, clock_time, min(final, slot))
        recent = RecentBlockhash(block_hash, last_height, requested_at)
        return SolanaHeadReport(session.name, head, recent)

    def _accept(self, reports: Sequence[SolanaHeadReport], head: ChainHead) -> None:
        self._context.block_hashes.remember(Block(head.height, head.block_hash, head.time))
        reached = [r.recent for r in reports if r.head.height <= head.height + self._tolerance]
        last_heights = [recent.last_height for recent in reached]
        if max(last_heights) - min(last_heights) > self._tolerance:
            # A false one would make a transaction seem lost too early, or never.
            self._recent = None
            return
        oldest = min(reached, key=lambda recent: recent.last_height)
        # Valid for so long at most, whichever node is asked.
        self._recent = replace(oldest, last_height=max(last_heights))


def _parse_clock(response: Any) -> datetime:
    """The cluster's time, from the account of its clock."""
    listed = as_list(parse_context_value(response, "the clock")[1], "the clock")
    clock = parse_account(listed[0])
    if clock is None or len(clock.data) < _CLOCK_SIZE:
        raise MalformedResponse("the node does not return the clock")
    return parse_time(int.from_bytes(clock.data[_TIME_AT:_CLOCK_SIZE], "little"))
