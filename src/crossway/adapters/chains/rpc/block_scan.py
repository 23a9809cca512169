"""Scanning a chain block by block: query limits, known block hashes, and start heights."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from crossway.ports.chain import ChainHead, Cursor

DEFAULT_LOOK_BACK_SECONDS = 2 * 86_400
"""How far a search for single addresses goes back where nobody says since when."""

MAX_FILTERED_ADDRESSES = 5_000
"""With more addresses than this, all transfers of the tokens are read and filtered locally."""

MAX_BLOCK_HASHES = 4_096
# Chains may produce blocks faster than their usual pace.
_ESTIMATE_MARGIN = 1.25


class BlockHeader(Protocol):
    """What every family's block header has."""

    @property
    def height(self) -> int:
        """The block's number."""
        ...

    @property
    def hash(self) -> str:
        """The block's hash."""
        ...

    @property
    def time(self) -> datetime:
        """The block's timestamp."""
        ...


B = TypeVar("B", bound=BlockHeader)


@dataclass
class QueryLimits:
    """The current size of a query: the chain's usual limits, lowered where nodes objected."""

    blocks: int
    recipients: int

    def __post_init__(self) -> None:
        self._usual = self.blocks, self.recipients

    def grow(self) -> None:
        """Raise the limits a little after a success, up to the usual ones."""
        blocks, recipients = self._usual
        self.blocks = min(blocks, self.blocks + self.blocks // 8 + 1)
        self.recipients = min(recipients, self.recipients + self.recipients // 8 + 1)

    def halve(self) -> None:
        """Lower both limits after a request that was too large."""
        self.recipients = max(1, self.recipients // 2)
        self.blocks = max(1, self.blocks // 2)


@dataclass
class BlockHashes:
    """Hashes of the blocks that were read last, by height."""

    by_height: dict[int, str] = field(default_factory=dict)

    def remember(self, block: BlockHeader) -> None:
        """Store a block's hash, and drop the oldest of more than `MAX_BLOCK_HASHES`."""
        self.by_height[block.height] = block.hash
        while len(self.by_height) > MAX_BLOCK_HASHES:
            del self.by_height[next(iter(self.by_height))]

    def last_common_block(
        self,
        head: ChainHead,
        after: Cursor,
        batch_size: int,
        read_blocks: Callable[[set[int]], Mapping[int, B]],
    ) -> B | None:
        """The last known block above the final one and below a replaced cursor that is still on the
        chain."""
        known = sorted(
            (h for h in self.by_height if head.finalized < h < after.height), reverse=True
        )
        for start in range(0, len(known), batch_size):
            heights = known[start : start + batch_size]
            blocks = read_blocks(set(heights))
            for height in heights:
                if height in blocks and blocks[height].hash == self.by_height[height]:
                    return blocks[height]
        return None

    def forget(self, low: int, high: int) -> None:
        """Forget the blocks above `low` up to `high`."""
        for height in [h for h in self.by_height if low < h <= high]:
            del self.by_height[height]


def blocks_in(seconds: float, block_time_seconds: float) -> int:
    """How many blocks a chain makes in this time, at least one."""
    return max(1, math.ceil(seconds / block_time_seconds))


def start_height(
    head: ChainHead,
    since: datetime | None,
    block_time_seconds: float,
    read_blocks: Callable[[set[int]], Mapping[int, BlockHeader]],
) -> int:
    """The height of a block older than `since` (None: the default look-back), estimated by the
    chain's block time and verified."""
    moment = head.time - timedelta(seconds=DEFAULT_LOOK_BACK_SECONDS) if since is None else since
    seconds = max((head.time - moment).total_seconds(), 0)
    distance = int(seconds * _ESTIMATE_MARGIN / block_time_seconds) + 10
    while (height := head.height - distance) > 0 and read_blocks({height})[height].time >= moment:
        distance *= 2
    return max(height, 0)
