"""Changes to bridge transfers that one database transaction stores."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from crossway.domain.bridge_transfer import (
    BridgeTransfer,
    BridgeTransferEvent,
    BridgeTransferState,
    advance_transfer,
)
from crossway.domain.changed_records import changed
from crossway.ports.bridge_transfer_repository import BridgeTransferChange
from crossway.ports.store import UnitOfWork


@dataclass
class BridgeTransferBatch:
    """Changes to bridge transfers. Those of the `expected` payments are locked together when the
    first of them is needed, any other when it is."""

    now: datetime
    expected: Collection[int] = ()
    changes: list[BridgeTransferChange] = field(default_factory=list)
    # None where nothing was ever to be sent.
    _current: dict[int, BridgeTransfer | None] = field(default_factory=dict)

    def get(self, unit: UnitOfWork, intent_id: int) -> BridgeTransfer:
        """The transfer of a payment as changed so far, locked.

        One is planned here for a payment that had expired or was cancelled before its deposit was
        credited, and that somebody else has started or sent.
        """
        transfer = self.find(unit, intent_id)
        if transfer is None:
            unit.bridge_transfers.plan([unit.intents.get_many([intent_id])[intent_id]], self.now)
            self._lock(unit, {intent_id})
            transfer = self._current[intent_id]
        assert transfer is not None, f"payment {intent_id} has no bridge transfer"
        return transfer

    def find(self, unit: UnitOfWork, intent_id: int) -> BridgeTransfer | None:
        """The same, None where nothing was ever to be sent."""
        if intent_id not in self._current:
            self._lock(unit, {intent_id, *self.expected} - self._current.keys())
            self.expected = ()
        return self._current[intent_id]

    def preload(self, unit: UnitOfWork, intent_ids: Collection[int]) -> dict[int, BridgeTransfer]:
        """The transfers of several payments as changed so far, locked; some may have none."""
        self._lock(unit, set(intent_ids) - self._current.keys())
        found = {i: self._current[i] for i in intent_ids}
        return {i: transfer for i, transfer in found.items() if transfer is not None}

    def _lock(self, unit: UnitOfWork, intent_ids: set[int]) -> None:
        if intent_ids:
            self._current |= dict.fromkeys(intent_ids) | unit.bridge_transfers.lock(intent_ids)

    def apply(
        self,
        unit: UnitOfWork,
        intent_id: int,
        event: BridgeTransferEvent,
        tx: str = "",
        note: str = "",
        **fields: Any,
    ) -> BridgeTransfer:
        """Apply an event by the table of transitions; `tx` is the transaction that caused it, and
        `fields` are fields to set. A new reason is the note of the step. Raises
        `InvalidTransition`."""
        state = advance_transfer(self.get(unit, intent_id).state, event)
        return self._set(unit, intent_id, state, tx, note, fields)

    def update(self, unit: UnitOfWork, intent_id: int, **fields: Any) -> BridgeTransfer:
        """Set fields without an event."""
        state = self.get(unit, intent_id).state
        return self._set(unit, intent_id, state, "", "", fields)

    def store(self, unit: UnitOfWork) -> None:
        """Write all changes."""
        unit.bridge_transfers.update(self.changes)

    def _set(
        self,
        unit: UnitOfWork,
        intent_id: int,
        state: BridgeTransferState,
        tx: str,
        note: str,
        fields: dict[str, Any],
    ) -> BridgeTransfer:
        before = self.get(unit, intent_id)
        after = changed(before, state=state, updated_at=self.now, **fields)
        if not note and after.reason != before.reason:
            note = after.reason
        self._current[intent_id] = after
        self.changes.append(BridgeTransferChange(before, after, tx, note))
        return after
