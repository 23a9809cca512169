"""Ends rebalancing transfers that nobody can begin, as their bridge or a chain is gone."""

from datetime import datetime, timedelta
from typing import Final

from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferEvent,
    InventoryTransferState,
)
from crossway.domain.rebalancing import RebalancingState
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.inventory_transfers import InventoryTransferBatch

PATIENCE: Final = timedelta(hours=1)
"""A chain may be missing by mistake, and be back after the next restart."""
_GONE: Final = "Its bridge or one of its chains is not configured any more."


def end_unreachable(services: Services) -> int:
    """Refuse those that wait for long; returns how many. What is agreed to or signed for stays
    open, as it may still happen. Else the destination would count on them forever."""
    now = services.clock.now()
    with services.store.read() as unit:
        started = [t for t in unit.rebalancing.list_open() if t.state is RebalancingState.STARTED]
        owners = {t.owner for t in started if now - t.created_at > PATIENCE}
        carrying = unit.inventory_transfers.list_by_intents(owners)
    gone = {t.intent_id for t in carrying if _is_gone(services, t)}
    return services.store.write(lambda unit: _refuse(unit, services, gone, now)) if gone else 0


def _refuse(unit: UnitOfWork, services: Services, owners: set[int], now: datetime) -> int:
    batch = InventoryTransferBatch(now)
    batch.preload(unit, owners)
    ended = [t for owner in owners for t in batch.list_of(unit, owner) if _is_gone(services, t)]
    for transfer in ended:
        batch.apply(transfer, InventoryTransferEvent.REFUSE, reason=_GONE)
    batch.store(unit)
    return len(ended)


def _is_gone(services: Services, transfer: InventoryTransfer) -> bool:
    chains = {transfer.source_chain, transfer.destination_chain} - {""}
    is_served = transfer.bridge in services.inventory_bridges and chains <= services.chains.keys()
    is_asked_for = transfer.state is not InventoryTransferState.PLANNED or transfer.commitment
    return not (is_served or is_asked_for)
