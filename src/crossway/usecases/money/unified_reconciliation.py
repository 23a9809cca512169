"""Compare the unified balances at Circle Gateway with the books."""

from typing import Final

from crossway.domain.errors import Unreachable
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.domain.ledger import UNIFIED_TOKEN, unified_location
from crossway.domain.quotes import BridgeName
from crossway.ports.services import Services
from crossway.usecases.money.inventory_adjustments import TRANSIENT, format_amount
from crossway.usecases.money.locations import location_name
from crossway.usecases.money.own_accounts import reachable_sums
from crossway.usecases.money.reconciliation_findings import Difference, Reconciliation
from crossway.usecases.money.unified_balance import (
    UNIFIED_KIND,
    UnifiedBalance,
    read_unified_balances,
)

_S = InventoryTransferState
_MAX_OPEN: Final = 5_000
_UNBOOKED: Final = (
    "Somebody deposited into the unified balance, or minted or withdrew from it, without an entry "
    "in the books.",
    "If this was intended, book the adjustment; else compare what Circle lists with the payments.",
)


def compare_unified(services: Services, result: Reconciliation) -> None:
    """Add what the unified balances differ from the books. Transfers that are under way explain the
    difference of what they move."""
    try:
        balances = read_unified_balances(services)
    except Unreachable as error:
        result.unavailable[unified_location(testnet=False)] = str(error)
        return
    with services.store.read() as unit:
        open_transfers = unit.inventory_transfers.list_open(_MAX_OPEN)
    facts = services.catalogue.chains
    for balance in balances:
        if not balance.is_opened and balance.difference > 0:
            key = (balance.location, "inventory", UNIFIED_TOKEN)
            result.missing_opening_balances[key] = balance.difference
        elif balance.difference:
            moves = [
                _unified_change(transfer)
                for transfer in open_transfers
                if unified_location(facts[transfer.chain].testnet) == balance.location
            ]
            is_explained = balance.difference in reachable_sums(moves)
            explanation = TRANSIENT if is_explained else _UNBOOKED
            result.differences.append(_difference(services, balance, explanation))


def _unified_change(transfer: InventoryTransfer) -> int:
    """What the service may count already of a transfer that the books do not."""
    if transfer.bridge != BridgeName.GATEWAY or transfer.state is _S.PLANNED:
        return 0
    if transfer.kind is InventoryTransferKind.MINT:
        return -transfer.source_amount
    return transfer.amount


def _difference(
    services: Services, balance: UnifiedBalance, explanation: tuple[str, str]
) -> Difference:
    location = balance.location
    available = format_amount(services, location, UNIFIED_TOKEN, balance.available)
    booked = format_amount(services, location, UNIFIED_TOKEN, balance.booked)
    return Difference(
        chain=location,
        address="",
        token=UNIFIED_TOKEN,
        ledger_amount=balance.booked,
        chain_amount=balance.available,
        message=f"{location_name(services, location)} is {available}; the books say {booked}.",
        kind=UNIFIED_KIND,
        reason=explanation[0],
        next_step=explanation[1],
        is_transient=explanation is TRANSIENT,
        intent_id=None,
    )
