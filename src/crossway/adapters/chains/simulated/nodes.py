"""Two nodes of a simulated chain, of which one or both leave deposits out or report a false head.

What they report is judged by the code that judges the nodes of live chains.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from crossway.adapters.chains.rpc.head_agreement import HeadReport, agreed_head, tolerated_blocks
from crossway.adapters.chains.rpc.profile import DEFAULT_CLOCK_SECONDS
from crossway.adapters.chains.simulated.blocks.state import ChainState
from crossway.domain.deposits import IncomingTransfer
from crossway.ports.chain import ChainHead

LOG_LIES, HEAD_LIES = ("missed_logs", "no_logs"), ("time_ahead", "height_ahead")
_AHEAD, _BLOCKS_AHEAD = timedelta(days=1), 1_000_000
_MAX_AHEAD = timedelta(seconds=DEFAULT_CLOCK_SECONDS)


def agree_on_head(head: ChainHead, lie: str, now: datetime, block_seconds: float) -> ChainHead:
    """The head that both nodes support, where the first one lies about the chain's `head`."""
    false = replace(
        head,
        time=head.time + (_AHEAD if lie == "time_ahead" else timedelta()),
        height=head.height + (_BLOCKS_AHEAD if lie == "height_ahead" else 0),
    )
    reports = [HeadReport("node 1", false), HeadReport("node 2", head)]
    return agreed_head(reports, len(reports), now + _MAX_AHEAD, tolerated_blocks(block_seconds))


def reported_logs(
    transfers: Sequence[IncomingTransfer], lie: str
) -> tuple[Sequence[IncomingTransfer], Sequence[IncomingTransfer]]:
    """What each of the two nodes reports of these transfers; scans ask the first one."""
    return [] if lie in LOG_LIES else transfers, [] if lie == "no_logs" else transfers


def is_idle(state: ChainState, now: float) -> bool:
    """Whether the newest block is empty and no fault or pending transaction needs attention."""
    is_healthy = not state.node_fault and now >= state.outage_until
    return (
        is_healthy
        and not (state.mempool_size or state.dropped_count)
        and state.tip_at(now) > state.height
    )
