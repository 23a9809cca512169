"""Inventory transfers of payments: what is planned for which payment, and how they are changed."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import Intent
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferEvent,
    InventoryTransferKind,
    InventoryTransferState,
    advance_inventory_transfer,
)
from crossway.domain.quotes import BridgeName, bridge_title
from crossway.domain.rebalancing import (
    RebalancingEvent,
    advance_rebalancing,
    is_rebalancing,
    rebalancing_id,
)
from crossway.ports.inventory_transfer_repository import (
    InventoryTransferChange,
    NewInventoryTransfer,
)
from crossway.ports.store import UnitOfWork

_ENDS: Final = {
    InventoryTransferState.DELIVERED: RebalancingEvent.ARRIVE,
    InventoryTransferState.RETURNED: RebalancingEvent.RETURN,
    InventoryTransferState.REFUSED: RebalancingEvent.REFUSE,
}
BEFORE_START: Final = "It begins once the deposit is collected."
PAUSED: Final = "Rebalancing is paused."
_BRINGING: Final = {
    BridgeName.GATEWAY: InventoryTransferKind.MINT,
    BridgeName.RHINOFI: InventoryTransferKind.TRANSFER,
}


def bringing_transfer(intent: Intent) -> NewInventoryTransfer | None:
    """The transfer that brings the payout to the destination before it is paid; None where the
    payment's bridge moves no inventory. It waits for the start of the payment."""
    kind = _BRINGING.get(BridgeName(intent.terms.bridge)) if moves_inventory(intent) else None
    if kind is None:
        return None
    return _new(intent, kind, intent.terms.payout_amount, intent.terms.expires_at, BEFORE_START)


def settling_transfer(intent: Intent, at: datetime) -> NewInventoryTransfer | None:
    """The transfer that settles what the escrow has repaid: into the unified balance, or to where
    the payout was made from, unless that was brought there before."""
    if not moves_inventory(intent):
        return None
    if intent.terms.bridge == BridgeName.GATEWAY:
        return _new(intent, InventoryTransferKind.DEPOSIT, repaid_amount(intent), at)
    return _new(intent, InventoryTransferKind.TRANSFER, intent.terms.payout_amount, at)


def moves_inventory(intent: Intent) -> bool:
    """Whether the payment's bridge moves the operator's inventory for it."""
    return intent.custody is Custody.OPERATOR and intent.terms.bridge in _BRINGING


def why_disabled(
    disabled: Mapping[str, str], transfer: InventoryTransfer | NewInventoryTransfer
) -> str:
    """Why a kill switch keeps inventory from being moved so, in a sentence; empty where none does.
    `disabled` are the reasons by subject. What rebalances is as new payments are: nobody waits for
    it, so that a disabled chain keeps it back as well."""
    bridge, chains = (
        BridgeName(transfer.bridge),
        (transfer.source_chain, transfer.destination_chain),
    )
    if is_rebalancing(transfer.intent_id):
        for chain in chains:
            if reason := disabled.get(f"chain:{chain}"):
                return f"A chain of this transfer is disabled: {reason}."
    reason = disabled.get(f"bridge:{bridge}") or disabled.get(f"route:{bridge}:{':'.join(chains)}")
    return f"{bridge_title(bridge)} is disabled: {reason}." if reason else ""


def repaid_amount(intent: Intent) -> int:
    """What of a collected deposit the escrow repays to the relayer: all but the fees."""
    costs = intent.collected.costs
    return intent.collected.amount - costs.fees_units - costs.app_fee_units


def _new(
    intent: Intent, kind: InventoryTransferKind, amount: int, due_at: datetime, reason: str = ""
) -> NewInventoryTransfer:
    terms = intent.terms
    leaves, arrives = (
        kind is not InventoryTransferKind.MINT,
        kind is not (InventoryTransferKind.DEPOSIT),
    )
    return NewInventoryTransfer(
        intent.id,
        terms.bridge,
        kind,
        terms.source_chain if leaves else "",
        terms.destination_chain if arrives else "",
        intent.collected.token if leaves else "",
        terms.token_out if arrives else "",
        amount,
        due_at,
        reason,
    )


@dataclass
class InventoryTransferBatch:
    """Changes to inventory transfers that one database transaction stores; they are locked when the
    first of their payment is asked for."""

    now: datetime
    planned: list[NewInventoryTransfer] = field(default_factory=list)
    changes: list[InventoryTransferChange] = field(default_factory=list)
    _current: dict[int, dict[int, InventoryTransfer]] = field(default_factory=dict)

    def list_of(self, unit: UnitOfWork, intent_id: int) -> list[InventoryTransfer]:
        """The transfers of a payment as changed so far, locked."""
        if intent_id not in self._current:
            self.preload(unit, [intent_id])
        return list(self._current[intent_id].values())

    def preload(self, unit: UnitOfWork, intent_ids: Collection[int]) -> None:
        """Lock the transfers of several payments."""
        missing = set(intent_ids) - self._current.keys()
        self._current |= {intent_id: {} for intent_id in missing}
        for transfer in unit.inventory_transfers.lock(missing):
            self._current[transfer.intent_id][transfer.id] = transfer

    def apply(
        self, transfer: InventoryTransfer, event: InventoryTransferEvent, **fields: Any
    ) -> InventoryTransfer:
        """Apply an event by the table of transitions; `fields` are fields to set. Raises
        `InvalidTransition`."""
        state = advance_inventory_transfer(transfer.state, event)
        return self.update(transfer, state=state, updated_at=self.now, **fields)

    def update(self, transfer: InventoryTransfer, **fields: Any) -> InventoryTransfer:
        """Set fields without an event."""
        after = replace(transfer, **fields)
        self._current[transfer.intent_id][transfer.id] = after
        self.changes.append(InventoryTransferChange(transfer, after))
        return after

    def store(self, unit: UnitOfWork) -> None:
        """Write all changes."""
        unit.inventory_transfers.plan(self.planned, self.now)
        unit.inventory_transfers.update(self.changes)
        self._advance_rebalancing(unit)

    def _advance_rebalancing(self, unit: UnitOfWork) -> None:
        """A rebalancing transfer ends as the inventory transfer does that carries it out."""
        events = [
            (rebalancing_id(change.after.intent_id), event, change.after.reason)
            for change in self.changes
            if is_rebalancing(change.after.intent_id)
            and (event := _rebalancing_event(change.before.state, change.after.state))
        ]
        current = unit.rebalancing.lock({id for id, _, _ in events})
        for id, event, note in events:
            state = advance_rebalancing(current[id].state, event)
            current[id] = replace(current[id], state=state, note=note, updated_at=self.now)
        unit.rebalancing.update(list(current.values()))


def _rebalancing_event(
    before: InventoryTransferState, after: InventoryTransferState
) -> RebalancingEvent | None:
    if before is after:
        return None
    if before is InventoryTransferState.DELIVERED and after is not InventoryTransferState.CLOSED:
        return RebalancingEvent.REVERSE
    return _ENDS.get(after)
