"""Which head several nodes support, and which reports are not believed. Reads no node."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from crossway.ports.chain import ChainHead


class ReportedHead(Protocol):
    """The head that a node reports; `node` is its host."""

    @property
    def node(self) -> str: ...
    @property
    def head(self) -> ChainHead: ...


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


def describe_doubts(
    reports: Sequence[ReportedHead], head: ChainHead | None, latest_time: datetime, tolerance: int
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
