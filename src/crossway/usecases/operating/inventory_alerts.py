"""Alerts about inventory that bridges move: when their cause is gone."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.intent import State
from crossway.domain.inventory_transfer import InventoryTransfer, InventoryTransferState
from crossway.domain.owners import owner_of_subject
from crossway.domain.rebalancing import is_rebalancing
from crossway.ports.records import Alert
from crossway.ports.store import UnitOfWork

FUNDING_OVERDUE: Final = "funding_overdue"
FUNDING_REFUSED: Final = "funding_refused"
UNIFIED: Final = "unified"
_S = InventoryTransferState
_REFUSED_FOR: Final = timedelta(hours=1)
_KINDS: Final = (FUNDING_OVERDUE, FUNDING_REFUSED)


def find_ended_funding(unit: UnitOfWork, alerts: Sequence[Alert], now: datetime) -> list[str]:
    """The keys of active alerts whose inventory transfer has gone on, or whose payment no longer
    waits for it. One about money that a service refused to settle, or gave back, stays until it is
    acknowledged; one about a rebalancing transfer that was refused for an hour, as another is
    planned instead."""
    about = [alert for alert in alerts if alert.kind in _KINDS]
    if not about:
        return []
    ids = {owner_of_subject(alert.subject) for alert in about}
    payments = {owner for owner in ids if not is_rebalancing(owner)}
    transfers = {t.id: t for t in unit.inventory_transfers.list_by_intents(ids)}
    states = {i: intent.state for i, intent in unit.intents.get_many(payments).items()}
    return [
        alert.key
        for alert in about
        if not _lasts(alert.kind, transfers.get(_transfer_id(alert)), states, now)
    ]


def _transfer_id(alert: Alert) -> int:
    return int(alert.key.rpartition(":")[2])


def _lasts(
    kind: str, transfer: InventoryTransfer | None, states: dict[int, State], now: datetime
) -> bool:
    if transfer is None:
        return False
    if kind == FUNDING_OVERDUE:
        return transfer.state in (_S.PLANNED, _S.AGREED, _S.SENDING, _S.OVERDUE)
    if is_rebalancing(transfer.intent_id) and transfer.state is _S.REFUSED:
        return now < transfer.updated_at + _REFUSED_FOR
    waits = states.get(transfer.intent_id) in (State.FUNDED, State.INITIATED)
    return waits or not transfer.destination_chain or transfer.state is _S.RETURNED
