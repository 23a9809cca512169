"""The repository of bridge transfers and of their history."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.domain.bridge_transfer import (
    BridgeTransfer,
    BridgeTransferState,
    BridgeTransferStep,
)
from crossway.domain.intent import Intent
from crossway.ports.shards import ALL_SHARDS, Shards


@dataclass(frozen=True, slots=True)
class BridgeTransferChange:
    """A bridge transfer as locked and as it is to be stored. A change of its state enters its
    history, with the transaction that caused it, if one did."""

    before: BridgeTransfer
    after: BridgeTransfer
    tx: str = ""
    note: str = ""


class BridgeTransferRepository(Protocol):
    """Bridge transfers, one for each payment that a bridge carries."""

    def plan(self, intents: Sequence[Intent], at: datetime) -> None:
        """Store new ones as PLANNED; existing ones are left alone."""
        ...

    def get_many(self, intent_ids: Collection[int]) -> dict[int, BridgeTransfer]: ...
    def lock(self, intent_ids: Collection[int]) -> dict[int, BridgeTransfer]: ...
    def list_due(
        self,
        source_chains: Collection[str],
        now: datetime,
        limit: int,
        shards: Shards = ALL_SHARDS,
    ) -> list[BridgeTransfer]:
        """Those under way and whose `next_at` has passed, oldest first."""
        ...

    def list_open(self, limit: int) -> list[BridgeTransfer]:
        """Those that were sent and have not arrived, by payment."""
        ...

    def sum_unrepaid(self, source_chain: str) -> int:
        """The micro-USD of payouts from inventory that bridges have still to repay, of payments
        from this chain."""
        ...

    def list_in_states(
        self, states: Collection[BridgeTransferState]
    ) -> dict[int, BridgeTransferState]:
        """All those in these states: the payment's id and the state."""
        ...

    def update(self, changes: Sequence[BridgeTransferChange]) -> None: ...
    def list_steps(self, intent_id: int) -> list[BridgeTransferStep]:
        """The history of one, oldest first."""
        ...

    def get_steps(self, intent_ids: Collection[int]) -> dict[int, list[BridgeTransferStep]]:
        """The histories of several, oldest first; one that has none is missing."""
        ...
