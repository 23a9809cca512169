"""The money in bridges: what has left a chain over a bridge and has not arrived, and since when."""

from dataclasses import dataclass
from datetime import datetime

from crossway.domain.bridge_transfer import BridgeTransfer, BridgeTransferState, is_overdue
from crossway.domain.clients import Principal
from crossway.domain.intent import Intent
from crossway.domain.inventory_transfer import InventoryTransfer, InventoryTransferState
from crossway.domain.ledger import UNIFIED_TOKEN, unified_location
from crossway.domain.rebalancing import Location
from crossway.domain.roles import Permission
from crossway.ports.services import Services

MAX_TRANSFERS = 5_000
_B = BridgeTransferState
_OVERDUE = (_B.DELAYED, _B.HALTED, _B.OVERDUE, _B.EXPIRED, InventoryTransferState.OVERDUE)
State = BridgeTransferState | InventoryTransferState


@dataclass(frozen=True, slots=True)
class MoneyInBridge:
    """One amount on its way, in smallest units of the source's token, as the ledger's IN_TRANSIT
    has it: of the payment `owner`, or of the rebalancing transfer with that `owner` number.
    `since`: when it was sent, of inventory when that was planned. `due`: when it usually arrives.
    """

    owner: int
    bridge: str
    source: Location
    destination: Location
    amount: int
    since: datetime
    due: datetime | None
    state: State
    reason: str
    is_overdue: bool


def list_money_in_bridges(services: Services, caller: Principal) -> list[MoneyInBridge]:
    """All of it, the earliest due first. The cost depends on open transfers only."""
    caller.require_permission(Permission.VIEW)
    now = services.clock.now()
    with services.store.read() as unit:
        transfers = unit.bridge_transfers.list_open(MAX_TRANSFERS)
        intents = unit.intents.get_many({transfer.intent_id for transfer in transfers})
        inventory = unit.inventory_transfers.list_open(MAX_TRANSFERS)
    found = [_of_payment(t, intents[t.intent_id], now) for t in transfers]
    # A mint leaves no chain; the others have once their transaction is booked.
    left = (t for t in inventory if t.source_chain and t.source_tx)
    found += [_of_inventory(services, transfer, now) for transfer in left]
    return sorted(found, key=lambda money: money.due or money.since)


def _of_payment(transfer: BridgeTransfer, intent: Intent, now: datetime) -> MoneyInBridge:
    terms, collected = intent.terms, intent.collected
    return MoneyInBridge(
        intent.id,
        transfer.bridge,
        (terms.source_chain, collected.token),
        (terms.destination_chain, terms.token_out),
        collected.amount,
        transfer.sent_at or transfer.updated_at,
        transfer.expected_at,
        transfer.state,
        transfer.reason,
        transfer.state in _OVERDUE or is_overdue(transfer, now),
    )


def _of_inventory(services: Services, transfer: InventoryTransfer, now: datetime) -> MoneyInBridge:
    testnet = services.catalogue.chains[transfer.source_chain].testnet
    arrives = (transfer.destination_chain, transfer.destination_token)
    return MoneyInBridge(
        transfer.intent_id,
        transfer.bridge,
        (transfer.source_chain, transfer.source_token),
        arrives if transfer.destination_chain else (unified_location(testnet), UNIFIED_TOKEN),
        transfer.source_amount,
        transfer.created_at,
        transfer.expected_at,
        transfer.state,
        transfer.reason,
        transfer.state in _OVERDUE or transfer.is_late(now),
    )
