"""The repository of inventory transfers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.domain.inventory_transfer import InventoryTransfer, InventoryTransferKind
from crossway.ports.shards import ALL_SHARDS, Shards


@dataclass(frozen=True, slots=True)
class NewInventoryTransfer:
    """An inventory transfer to store as PLANNED, to be looked at from `due_at` on; the fields are
    those of `domain.inventory_transfer.InventoryTransfer`."""

    intent_id: int
    bridge: str
    kind: InventoryTransferKind
    source_chain: str
    destination_chain: str
    source_token: str
    destination_token: str
    amount: int
    due_at: datetime
    reason: str = ""


@dataclass(frozen=True, slots=True)
class InventoryTransferChange:
    """An inventory transfer as locked and as it is to be stored."""

    before: InventoryTransfer
    after: InventoryTransfer


class InventoryTransferRepository(Protocol):
    """Inventory transfers, at most one of each kind for a payment."""

    def plan(self, new: Sequence[NewInventoryTransfer], at: datetime) -> None:
        """Store new ones as PLANNED; existing ones are left alone."""
        ...

    def list_by_intents(self, intent_ids: Collection[int]) -> list[InventoryTransfer]:
        """Those of some payments, oldest first."""
        ...

    def lock(self, intent_ids: Collection[int]) -> list[InventoryTransfer]:
        """The same, locked until the unit of work ends."""
        ...

    def list_due(
        self, chains: Collection[str], now: datetime, limit: int, shards: Shards = ALL_SHARDS
    ) -> list[InventoryTransfer]:
        """Open ones whose transaction is made on one of these chains and whose `next_at` has
        passed, oldest first."""
        ...

    def list_open(self, limit: int) -> list[InventoryTransfer]:
        """All that are under way, oldest first; without those that have arrived."""
        ...

    def list_reserving(self, bridge: str = "", source_chain: str = "") -> list[InventoryTransfer]:
        """Those that have not left yet and will: of a bridge out of its unified balance, or from a
        chain out of the relayer's account there."""
        ...

    def update(self, changes: Sequence[InventoryTransferChange]) -> None: ...
