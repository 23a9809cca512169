"""The port that says when stored work falls due next, so that a worker can sleep until then."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.ports.shards import ALL_SHARDS, Shards


@dataclass(frozen=True, slots=True)
class ChainWork:
    """What the engine waits for on one chain; times of the service's clock, None for nothing.

    `in_progress`: a deposit waits for confirmations, or a transaction of ours for its block or its
    finality: the next block may decide. `next_tx_at`: when a transaction is to be signed or tried
    again, or a bridge to be asked about a transfer from here. `next_expiry_at`: when the first
    payment expires that is not started yet.
    """

    in_progress: bool
    next_tx_at: datetime | None
    next_expiry_at: datetime | None


class DueTimes(Protocol):
    """When stored work falls due. Every answer costs one index look-up for each chain or webhook,
    however much is stored."""

    def of_chains(
        self, chains: Collection[str], shards: Shards = ALL_SHARDS
    ) -> Mapping[str, ChainWork]:
        """The work of each of these chains."""
        ...

    def of_ramps(self) -> datetime | None:
        """When the next ramp order or KYC submission is to be looked at."""
        ...

    def of_deliveries(self) -> datetime | None:
        """When the next webhook delivery of an enabled webhook is to be sent."""
        ...
