"""Which head several nodes support, and which reports are not believed. Reads no node."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from crossway.ports.chain import ChainHead

# Nodes of one chain may be this far apart without being doubted.
_MIN_TOLERATED_BLOCKS, _TOLERATED_SECONDS = 10, 60.0


@dataclass(frozen=True, slots=True)
class HeadReport:
    """The head that a node reports; `node` is its host."""

    node: str
    head: ChainHead


def tolerated_blocks(block_time_seconds: float) -> int:
    """So many blocks apart, the nodes of a chain are not doubted."""
    return max(_MIN_TOLERATED_BLOCKS, int(_TOLERATED_SECONDS / block_time_seconds))


def is_disputed(heads: Sequence[ChainHead], latest_time: datetime, tolerance: int) -> bool:
    """Whether more nodes must be asked: these are more than `tolerance` blocks apart, or one has a
    time after `latest_time`."""
    heights = [head.height for head in heads]
    apart = bool(heights) and max(heights) - min(heights) > tolerance
    return apart or any(head.time > latest_time for head in heads)


def supported_head(heads: Sequence[ChainHead], count: int, latest_time: datetime) -> ChainHead:
    """The highest head that `count` of these nodes have reached: height, time and final height each
    as `count` nodes support it, the time not after `latest_time`."""
    highest_first = sorted(heads, key=lambda head: head.height, reverse=True)
    lowest = highest_first[count - 1]
    moment = sorted((head.time for head in heads), reverse=True)[count - 1]
    final = sorted((head.finalized for head in heads), reverse=True)[count - 1]
    return replace(
        lowest, time=min(moment, latest_time), finalized=min(final, lowest.height), doubts=()
    )


def agreed_head(
    reports: Sequence[HeadReport], count: int, latest_time: datetime, tolerance: int
) -> ChainHead:
    """The head that `count` of these nodes support, with the doubts about the others."""
    head = supported_head([report.head for report in reports], count, latest_time)
    return replace(head, doubts=tuple(describe_doubts(reports, head, latest_time, tolerance)))


def describe_doubts(
    reports: Sequence[HeadReport], head: ChainHead | None, latest_time: datetime, tolerance: int
) -> list[str]:
    """A sentence for each report that is not believed; `head` is what the nodes support, if
    anything."""
    doubts = []
    for report in reports:
        reported = report.head
        if reported.time > latest_time:
            shown = reported.time.strftime("%Y-%m-%d %H:%M:%S UTC")
            doubts.append(f"{report.node} reports the time {shown}, ahead of this machine's clock")
        elif head is not None and reported.height > head.height + tolerance:
            doubts.append(
                f"{report.node} reports block {reported.height:,}, but the nodes that must agree "
                f"have reached block {head.height:,}"
            )
        elif head is not None and reported.height < head.height - tolerance:
            doubts.append(f"{report.node} is behind: block {reported.height:,} of {head.height:,}")
    return doubts
