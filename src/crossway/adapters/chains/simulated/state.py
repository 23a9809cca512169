"""Where one simulated chain stands: its height as a function of time, its forks, its faults."""

from dataclasses import dataclass, fields
from typing import Any

import orjson
from sqlalchemy import Row

from crossway.adapters.chains.simulated.identities import block_hash

MOST_AHEAD_SECONDS = 60.0


@dataclass(slots=True)
class ChainState:
    """One row of `sim_chains`.

    From `base_height`, mined by schedule at `base_at`, a block follows every `block_seconds`;
    a block out of turn moves the base. Up to `height` all blocks are made, `last_at` is the time
    of the last one with transactions, `seen` (not stored) the last that this process showed.
    `reorgs` are the heights from which blocks were replaced, oldest first. `waiting` transactions
    lie in the mempool, `lost` ones were dropped and could still land. `made` counts what the
    sandbox made.
    """

    id: str
    base_height: int
    base_at: float
    block_seconds: float
    first_height: int
    height: int
    last_at: float
    reorgs: list[int]
    waiting: int = 0
    lost: int = 0
    made: int = 0
    outage_until: float = 0.0
    drop_next: int = 0
    revert_next: int = 0
    slow_blocks: int = 0
    fee_factor: int = 1
    lie: str = ""
    stale_height: int = 0
    seen: int = 0

    @classmethod
    def of(cls, row: Row[Any]) -> "ChainState":
        """The state as stored."""
        values = dict(row._mapping)
        return cls(**{**values, "reorgs": orjson.loads(values["reorgs"])})

    def columns(self) -> dict[str, Any]:
        """The state for storing."""
        values: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self)}
        values["reorgs"] = orjson.dumps(self.reorgs).decode()
        del values["seen"]
        return values

    def tip_at(self, now: float) -> int:
        """The newest height at this time; never one lower than was seen before."""
        passed = int((now - self.base_at) // self.block_seconds)
        return max(self.height, self.seen, self.base_height + passed)

    def scheduled(self, height: int) -> float:
        """When a block of this height comes, epoch seconds."""
        return self.base_at + (height - self.base_height) * self.block_seconds

    def time_of(self, height: int) -> float:
        """The time that a block of this height, mined now, carries: no block is older than
        the one before it."""
        return max(self.scheduled(height), self.last_at)

    def follow(self, now: float) -> None:
        """Go on from here after the clock was set back, instead of waiting for it."""
        tip = self.tip_at(now)
        if self.scheduled(tip) - now > MOST_AHEAD_SECONDS:
            self.last_at, self.base_height, self.base_at = self.time_of(tip), tip, now

    def insert_block(self) -> int:
        """Put one block out of turn on top of the newest one; its height."""
        self.base_at = self.scheduled(self.height)
        self.base_height = self.height = self.height + 1
        return self.height

    def change_pace(self, block_seconds: float) -> None:
        """From the newest block on, another time between blocks."""
        self.base_at, self.base_height = self.scheduled(self.height), self.height
        self.block_seconds = block_seconds

    def epoch(self, height: int) -> int:
        """How many reorganisations there were when the block at this height was made."""
        return max(
            (number for number, start in enumerate(self.reorgs, 1) if start <= height), default=0
        )

    def replaced_since(self, epoch: int) -> int | None:
        """The lowest height that a later reorganisation than this one replaced."""
        return min(self.reorgs[epoch:], default=None)

    def empty_hash(self, family: str, height: int) -> str:
        """The name of a block without transactions."""
        return block_hash(family, self.id, height, self.epoch(height))
