"""What of a unified balance is promised to payments, so that what rebalances must not take it."""

from typing import Final

from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.domain.quotes import bridge_title
from crossway.domain.rebalancing import is_rebalancing
from crossway.engine.inventory_answers import Held
from crossway.engine.inventory_snapshot import read_unified
from crossway.ports.inventory_bridge import Unanswered
from crossway.ports.services import Services
from crossway.usecases.money.leaving_inventory import most_leaving

_PROMISED: Final = "What the unified balance at {} has is promised to payments."
_SILENT: Final = "{} does not say what its unified balance has."


def keep_promises(services: Services, transfer: InventoryTransfer) -> Held | Unanswered | None:
    """Why a mint that rebalances is not asked for now; None where it may be, and for all other
    transfers. Asks the bridge. Payments may have been started on the balance since it was
    planned."""
    if transfer.kind is not InventoryTransferKind.MINT or not is_rebalancing(transfer.intent_id):
        return None
    facts, title = services.catalogue.chains, bridge_title(transfer.bridge)
    testnet = facts[transfer.destination_chain].testnet
    units = read_unified(services, transfer.bridge, testnet)
    if units is None:
        return Unanswered(_SILENT.format(title))
    with services.store.read() as unit:
        promised = [
            mint
            for mint in unit.inventory_transfers.list_reserving(bridge=transfer.bridge)
            if mint.state is InventoryTransferState.PLANNED
            and not is_rebalancing(mint.intent_id)
            and facts[mint.destination_chain].testnet == testnet
        ]
        most = most_leaving(unit, [transfer, *promised])
    is_promised = promised and sum(most.values()) > units
    return Held(_PROMISED.format(title)) if is_promised else None
