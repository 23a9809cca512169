"""The state of one simulated chain: its height as a function of time, its reorgs, its faults."""

from dataclasses import dataclass, fields
from typing import Any

import orjson
from sqlalchemy import Row

from crossway.adapters.chains.simulated.blocks.derivation import block_hash

MAX_AHEAD_SECONDS = 60.0


@dataclass(slots=True)
class ChainState:
    """One row of `sim_chains`.

    From `base_height`, mined on schedule at `base_at`, a block follows every `block_seconds`; an
    unscheduled block moves the base. Blocks up to `height` are made; `last_at` is the time of the
    newest block with transactions, `last_shown_height` (not stored) the newest height that this
    process reported. `reorgs` are the heights from which blocks were replaced, oldest first.
    `dropped_count` counts dropped transactions that can still land. `stale_height` is the height at
    which `node_fault` was last changed.
    """

    id: str
    base_height: int
    base_at: float
    block_seconds: float
    first_height: int
    height: int
    last_at: float
    reorgs: list[int]
    mempool_size: int = 0
    dropped_count: int = 0
    simulator_tx_count: int = 0
    outage_until: float = 0.0
    drop_next: int = 0
    revert_next: int = 0
    slow_blocks: int = 0
    fee_factor: int = 1
    node_fault: str = ""
    stale_height: int = 0
    last_shown_height: int = 0

    @classmethod
    def of(cls, row: Row[Any]) -> "ChainState":
        """The state as stored."""
        values = dict(row._mapping)
        return cls(**{**values, "reorgs": orjson.loads(values["reorgs"])})

    def columns(self) -> dict[str, Any]:
        """The state for storing."""
        values: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        values["reorgs"] = orjson.dumps(self.reorgs).decode()
        del values["last_shown_height"]
        return values

    def tip_at(self, now: float) -> int:
        """The newest height at this time; never below one that was reported before."""
        passed = int((now - self.base_at) // self.block_seconds)
        return max(self.height, self.last_shown_height, self.base_height + passed)

    def scheduled(self, height: int) -> float:
        """The scheduled time of a block of this height, in epoch seconds."""
        return self.base_at + (height - self.base_height) * self.block_seconds

    def time_of(self, height: int) -> float:
        """The timestamp of a block of this height mined now; never before its parent's."""
        return max(self.scheduled(height), self.last_at)

    def advance_to(self, now: float) -> None:
        """Rebase the schedule after the clock was set back, instead of waiting for it."""
        tip = self.tip_at(now)
        if self.scheduled(tip) - now > MAX_AHEAD_SECONDS:
            self.last_at, self.base_height, self.base_at = self.time_of(tip), tip, now

    def insert_block(self) -> int:
        """Add one unscheduled block on top of the newest one and return its height."""
        self.base_at = self.scheduled(self.height)
        self.base_height = self.height = self.height + 1
        return self.height

    def change_pace(self, block_seconds: float) -> None:
        """Change the block time from the newest block on."""
        self.base_at, self.base_height = self.scheduled(self.height), self.height
        self.block_seconds = block_seconds

    def epoch(self, height: int) -> int:
        """The number of reorgs before the block at this height was made."""
        return max(
            (number for number, start in enumerate(self.reorgs, 1) if start <= height), default=0
        )

    def replaced_since(self, epoch: int) -> int | None:
        """The lowest height that a reorg after this epoch replaced."""
        return min(self.reorgs[epoch:], default=None)

    def empty_hash(self, family: str, height: int) -> str:
        """The hash of a block without transactions."""
        return block_hash(family, self.id, height, self.epoch(height))
